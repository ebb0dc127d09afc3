# Boots systemd over a copy of this machine's files that is gone afterwards, in namespaces of its own, with the package in
# /opt/datarun and the unit of this checkout. Arguments: the folder of the installed package, the unit, an empty folder.
set -e
installed=$1 unit=$2 place=$3
mount --make-rprivate /
mount -t tmpfs tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/root"
mount -t overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" overlay "$place/root"
cd "$place/root"

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  : > "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up

rm -rf var/lib/datarun var/lib/private/datarun
mkdir -p opt/datarun etc/datarun
cp -a "$installed/node_modules" opt/datarun/
head -c 32 /dev/urandom | base64 > etc/datarun/root-key
chmod 600 etc/datarun/root-key
cp "$unit" etc/systemd/system/datarun.service
printf '[Unit]\nRequires=dbus.service datarun.service\n' > etc/systemd/system/datarun-test.target

pivot_root . mnt
umount -l /mnt
# As after a boot: what systemd mounts for a service, such as its credentials, has to reach that service.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
  --system --unit=datarun-test.target --log-target=journal --show-status=no
