import { freePorts, isInstalled, type Place } from "./place.ts";

/*
 * Which server shows which behaviour, and what a client has to read. A text in place of an expectation says why the
 * server cannot show it.
 */

export const BODY = '{"name":"Ada"}';
/** Long enough that servers compress it. */
const LONG_BODY = JSON.stringify({ name: "Ada", text: "a text that is compressed; ".repeat(100) });
/** A reply of four such fields is large, and smaller than what the client accepts. */
const LARGE = "x".repeat(3_500);
const LARGE_FIELDS = ["x-large-1", "x-large-2", "x-large-3", "x-large-4"];
/** Longer than two requests take on a busy machine: a client gives a connection up up to two seconds earlier. */
const IDLE_SECONDS = 8;

export interface Expected {
  /** `GET` by default. */
  readonly method?: string;
  readonly path?: string;
  /** 200 by default. */
  readonly status?: number;
  readonly body?: string;
  /** Fields that must be among those of the reply. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields of the request. */
  readonly sends?: Readonly<Record<string, string>>;
  /** A field that a proxy in between adds to the request, because no source may set it. */
  readonly injected?: string;
  /** What the bytes of the reply contain; that shows that the server behaves so. */
  readonly bytes?: RegExp;
  /** Whether a second request uses the same connection; true by default. */
  readonly reuse?: boolean;
  readonly port?: keyof Ports;
}

const USUAL = {
  "keep-alive": { path: "/plain.json", body: BODY, fields: { "content-length": String(BODY.length) } },
  chunked: { body: BODY, fields: { "transfer-encoding": "chunked" }, bytes: /\r\n0\r\n\r\n$/ },
  gzip: { path: "/gzip.json", body: LONG_BODY, fields: { "content-encoding": "gzip" } },
  // Some vendors send a body after HEAD, so its connection is not used again.
  HEAD: { method: "HEAD", path: "/plain.json", body: "", reuse: false },
  204: { status: 204, body: "" },
  304: { path: "/plain.json", status: 304, body: "", sends: { "if-none-match": "*" } },
  100: { method: "POST", body: BODY, injected: "expect: 100-continue", bytes: /^HTTP\/1\.1 100 / },
  103: { body: BODY, bytes: /^HTTP\/1\.1 103 / },
  trailers: { body: BODY, injected: "te: trailers", bytes: /\r\n0\r\nx-sum: 1\r\n\r\n$/i },
  "http-1.0": { body: BODY, bytes: /^HTTP\/1\.0 200 /, reuse: false },
  "close-delimited": { body: BODY, reuse: false, bytes: /^(?!.*(content-length|transfer-encoding):)/is },
  "large-header": { body: BODY, fields: Object.fromEntries(LARGE_FIELDS.map((name) => [name, LARGE])) },
  redirect: { body: BODY, bytes: /^HTTP\/1\.\d 302 / },
  "tls-1.2": { path: "/plain.json", body: BODY, port: "tls12" },
  "tls-1.3": { path: "/plain.json", body: BODY, port: "tls13" },
  /** The server closes the connection before the second request, which is sent once all the same. */
  "idle-close": { path: "/plain.json", body: BODY, reuse: false },
} as const satisfies Readonly<Record<string, Expected>>;

export type Behaviour = `${keyof typeof USUAL}`;
export const BEHAVIOURS = Object.keys(USUAL) as Behaviour[];

/** `old` is for a server that speaks HTTP/1.0 alone. */
export type Ports = Readonly<Record<"plain" | "old" | "tls12" | "tls13", number>>;

export interface RealServer {
  readonly name: string;
  readonly programs: readonly string[];
  readonly start: (place: Place, ports: Ports) => Promise<void>;
  /** What differs from the usual expectation, or why the server cannot behave so. */
  readonly differs?: Readonly<Partial<Record<Behaviour, Expected | string>>>;
}

/** What a client reads from this server, or why the server cannot behave so. */
export function expectation(server: RealServer, behaviour: Behaviour): Expected | string {
  const own = server.differs?.[behaviour];
  return typeof own === "string" ? own : { path: `/${behaviour}`, ...USUAL[behaviour], ...own };
}

export async function choosePorts(): Promise<Ports> {
  const [plain, old, tls12, tls13] = (await freePorts(4)) as [number, number, number, number];
  return { plain, old, tls12, tls13 };
}

export function missingPrograms({ programs }: RealServer): readonly string[] {
  return programs.filter((program) => !isInstalled(program));
}

const IS_ROOT = process.getuid?.() === 0;
const NO_EARLY_HINTS = "it sends no 103 over HTTP/1.1";
const NO_TRAILERS = "it sends no trailers of its own";
const ALWAYS_NEW = "it answers HTTP/1.1 with HTTP/1.1";
const NOT_BY_CLOSING = "it ends no HTTP/1.1 reply by closing";

function writeFiles(place: Place, folder: string): string {
  place.write(`${folder}/plain.json`, BODY);
  place.write(`${folder}/large-header`, BODY);
  place.write(`${folder}/gzip.json`, LONG_BODY);
  return `${place.folder}/${folder}`;
}

// ---- nginx ---------------------------------------------------------------------------------------------------------

async function startNginx(place: Place, ports: Ports, locations: string): Promise<void> {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${place.makeFolder(`nginx-${kind}`)};`,
  );
  const secure = (port: number, version: string): string => `server {
    listen 127.0.0.1:${port} ssl; ssl_protocols ${version};
    ssl_certificate ${place.cert}; ssl_certificate_key ${place.key};
    ${locations}
  }`;
  const config = place.write(
    "nginx.conf",
    `${IS_ROOT ? "user root;" : ""} daemon off; worker_processes 1;
     pid ${place.folder}/nginx.pid; error_log ${place.folder}/nginx.log;
     events {}
     http {
       access_log off; default_type application/json; ${temporary.join(" ")}
       keepalive_timeout ${IDLE_SECONDS}s;
       server { listen 127.0.0.1:${ports.plain}; ${locations} }
       ${secure(ports.tls12, "TLSv1.2")}
       ${secure(ports.tls13, "TLSv1.3")}
     }`,
  );
  const args = ["-c", config, "-e", `${place.folder}/nginx.log`];
  await place.start("/usr/sbin/nginx", args, [ports.plain, ports.tls12, ports.tls13]);
}

function nginxLocations(place: Place, { plain }: Ports): string {
  const large = LARGE_FIELDS.map((name) => `add_header ${name} ${LARGE};`).join(" ");
  return `
    root ${writeFiles(place, "nginx")};
    location = /gzip.json { gzip on; gzip_types application/json; }
    location = /large-header { ${large} }
    location = /204 { return 204; }
    location = /redirect { absolute_redirect off; return 302 /plain.json; }
    location = /chunked { ssi on; ssi_types *; try_files /plain.json =404; }
    location = /close-delimited { chunked_transfer_encoding off; ssi on; ssi_types *; try_files /plain.json =404; }
    location = /trailers { add_trailer x-sum 1; try_files /plain.json =404; }
    location = /100 { proxy_method GET; proxy_set_body ""; proxy_pass http://127.0.0.1:${plain}/plain.json; }`;
}

const nginx: RealServer = {
  name: "nginx",
  programs: ["/usr/sbin/nginx"],
  start: (place, ports) => startNginx(place, ports, nginxLocations(place, ports)),
  differs: { 103: NO_EARLY_HINTS, "http-1.0": ALWAYS_NEW },
};

// ---- PHP-FPM behind nginx ------------------------------------------------------------------------------------------

const PHP = `<?php
header("content-type: application/json");
switch ($_SERVER["DOCUMENT_URI"]) {
  case "/plain.json": header("content-length: ${BODY.length}"); break;
  case "/204": http_response_code(204); exit;
  case "/304": http_response_code(304); exit;
  case "/redirect": header("location: /plain.json", true, 302); exit;
  case "/gzip.json": ini_set("zlib.output_compression", "1"); echo '${LONG_BODY}'; exit;
  case "/large-header": foreach (${JSON.stringify(LARGE_FIELDS)} as $name) header("$name: ${LARGE}"); break;
  case "/100": file_get_contents("php://input"); break;
}
echo '${BODY}';
`;

const php: RealServer = {
  name: "PHP-FPM behind nginx",
  programs: ["/usr/sbin/nginx", "/usr/sbin/php-fpm8.2"],
  start: async (place, ports) => {
    const [port] = (await freePorts(1)) as [number];
    const script = place.write("php/index.php", PHP);
    const config = place.write(
      "fpm.conf",
      `[global]\nerror_log = ${place.folder}/fpm.log\n[www]\n${IS_ROOT ? "user = www-data\n" : ""}` +
        `listen = 127.0.0.1:${port}\npm = static\npm.max_children = 2\n`,
    );
    await place.start("/usr/sbin/php-fpm8.2", ["-F", "-y", config], [port]);
    const fastcgi = `
      fastcgi_pass 127.0.0.1:${port}; fastcgi_buffer_size 32k; fastcgi_buffers 4 32k;
      fastcgi_param SCRIPT_FILENAME ${script}; fastcgi_param DOCUMENT_URI $uri;
      fastcgi_param REQUEST_METHOD $request_method; fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param HTTP_ACCEPT_ENCODING $http_accept_encoding;`;
    await startNginx(
      place,
      ports,
      `location / { ${fastcgi} } location = /close-delimited { chunked_transfer_encoding off; ${fastcgi} }`,
    );
  },
  differs: { 304: { path: "/304" }, 103: NO_EARLY_HINTS, trailers: NO_TRAILERS, "http-1.0": ALWAYS_NEW },
};

// ---- Apache httpd --------------------------------------------------------------------------------------------------

/** The pause makes the server pass on what it has, before it knows the length. */
const CGI_IN_PIECES = `#!/bin/sh
printf 'Content-Type: application/json\\r\\n\\r\\n{"name":'
sleep 0.5
printf '"Ada"}'
`;
/** A script that writes the whole reply itself. */
const CGI_UNTIL_THE_END = `#!/bin/sh
printf 'HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nConnection: close\\r\\n\\r\\n{"name":"Ada"}'
`;

const apache: RealServer = {
  name: "Apache httpd",
  programs: ["/usr/sbin/apache2"],
  start: async (place, ports) => {
    const root = writeFiles(place, "apache");
    place.write("apache/http-1.0", BODY);
    place.write("apache/cgi/chunked", CGI_IN_PIECES, 0o755);
    place.write("apache/cgi/nph-close", CGI_UNTIL_THE_END, 0o755);
    place.makeFolder("apache-run");
    const modules = "mpm_prefork authz_core alias cgi deflate headers setenvif filter ssl".split(" ");
    const secure = (port: number, version: string): string => `Listen 127.0.0.1:${port}
      <VirtualHost 127.0.0.1:${port}>
        SSLEngine on
        SSLProtocol ${version}
        SSLCertificateFile ${place.cert}
        SSLCertificateKeyFile ${place.key}
      </VirtualHost>`;
    const config = place.write(
      "apache.conf",
      `ServerRoot ${place.folder}
       ServerName 127.0.0.1
       DefaultRuntimeDir ${place.folder}/apache-run
       PidFile ${place.folder}/apache-run/pid
       Mutex pthread default
       ErrorLog ${place.folder}/apache.log
       ${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
       ${IS_ROOT ? "User www-data\nGroup www-data" : ""}
       StartServers 2
       KeepAlive On
       KeepAliveTimeout ${IDLE_SECONDS}
       Listen 127.0.0.1:${ports.plain}
       DocumentRoot ${root}
       ScriptAlias /chunked ${root}/cgi/chunked
       ScriptAlias /100 ${root}/cgi/chunked
       ScriptAlias /close-delimited ${root}/cgi/nph-close
       Redirect 204 /204
       Redirect 302 /redirect /plain.json
       <Files gzip.json>
         SetOutputFilter DEFLATE
       </Files>
       <Files large-header>
         ${LARGE_FIELDS.map((name) => `Header set ${name} ${LARGE}`).join("\n")}
       </Files>
       SetEnvIf Request_URI ^/http-1.0 downgrade-1.0 force-response-1.0
       ${secure(ports.tls12, "TLSv1.2")}
       ${secure(ports.tls13, "TLSv1.3")}`,
    );
    await place.start("/usr/sbin/apache2", ["-f", config, "-DFOREGROUND"], [ports.plain, ports.tls12, ports.tls13]);
  },
  differs: { 103: NO_EARLY_HINTS, trailers: NO_TRAILERS },
};

// ---- lighttpd ------------------------------------------------------------------------------------------------------

const NO_TLS_MODULE = "its TLS module is a package of its own";

const lighttpd: RealServer = {
  name: "lighttpd",
  programs: ["/usr/sbin/lighttpd"],
  start: async (place, ports) => {
    const root = writeFiles(place, "lighttpd");
    place.write("lighttpd/chunked.sh", CGI_IN_PIECES, 0o755);
    place.write("lighttpd/204.sh", "#!/bin/sh\nprintf 'Status: 204\\r\\n\\r\\n'\n", 0o755);
    const early = "#!/bin/sh\nprintf 'Status: 103\\r\\nLink: </a>\\r\\n\\r\\n'\n";
    place.write("lighttpd/103.sh", CGI_IN_PIECES.replace("#!/bin/sh\n", early), 0o755);
    const large = LARGE_FIELDS.map((name) => `"${name}" => "${LARGE}"`).join(", ");
    const config = place.write(
      "lighttpd.conf",
      `server.modules = ("mod_alias", "mod_redirect", "mod_setenv", "mod_cgi")
       server.document-root = "${root}"
       server.bind = "127.0.0.1"
       server.port = ${ports.plain}
       server.errorlog = "${place.folder}/lighttpd.log"
       server.upload-dirs = ("${place.makeFolder("lighttpd-uploads")}")
       server.max-keep-alive-idle = ${IDLE_SECONDS}
       server.stream-response-body = 1
       mimetype.assign = (".json" => "application/json", "" => "application/json")
       cgi.assign = (".sh" => "")
       alias.url = ("/chunked" => "${root}/chunked.sh", "/204" => "${root}/204.sh", "/103" => "${root}/103.sh")
       url.redirect = ("^/redirect" => "/plain.json")
       url.redirect-code = 302
       $HTTP["url"] == "/large-header" { setenv.add-response-header = (${large}) }`,
    );
    await place.start("/usr/sbin/lighttpd", ["-D", "-f", config], [ports.plain]);
  },
  differs: {
    100: "it sends no 100 if the body has come with the header",
    gzip: "its module for compression is a package of its own",
    trailers: NO_TRAILERS,
    "http-1.0": ALWAYS_NEW,
    "close-delimited": NOT_BY_CLOSING,
    "tls-1.2": NO_TLS_MODULE,
    "tls-1.3": NO_TLS_MODULE,
  },
};

// ---- HAProxy in front of nginx -------------------------------------------------------------------------------------

const haproxy: RealServer = {
  name: "HAProxy in front of nginx",
  programs: ["/usr/sbin/haproxy", "/usr/sbin/nginx"],
  start: async (place, ports) => {
    const behind = await choosePorts();
    await startNginx(place, behind, nginxLocations(place, behind));
    const secure = (port: number, version: string): string =>
      `bind 127.0.0.1:${port} ssl crt ${place.both} ssl-min-ver ${version} ssl-max-ver ${version}`;
    const config = place.write(
      "haproxy.cfg",
      `global
         tune.bufsize 32768
       defaults
         mode http
         timeout connect 10s
         timeout client 10s
         timeout server 10s
         timeout http-keep-alive ${IDLE_SECONDS}s
       frontend public
         bind 127.0.0.1:${ports.plain}
         ${secure(ports.tls12, "TLSv1.2")}
         ${secure(ports.tls13, "TLSv1.3")}
         compression algo gzip
         compression type application/json
         compression offload
         http-request early-hint link "</a>" if { path /103 }
         http-request set-path /plain.json if { path /103 }
         http-request redirect location /plain.json code 302 if { path /redirect }
         default_backend nginx
       backend nginx
         server nginx 127.0.0.1:${behind.plain}
`,
    );
    const listens = [ports.plain, ports.tls12, ports.tls13];
    await place.start("/usr/sbin/haproxy", ["-db", "-f", config], listens);
  },
  // What a client takes compressed, it compresses.
  differs: { "keep-alive": { sends: { "accept-encoding": "identity" } }, "http-1.0": ALWAYS_NEW },
};

// ---- Tomcat --------------------------------------------------------------------------------------------------------

const TOMCAT = "/usr/share/tomcat10";
const SERVLET = `
import jakarta.servlet.http.*;
import java.io.*;
import java.util.Map;
public class Scripted extends HttpServlet {
  protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String path = request.getServletPath();
    response.setContentType("application/json");
    if (path.equals("/204")) { response.setStatus(204); return; }
    if (path.equals("/redirect")) { response.sendRedirect("/plain.json"); return; }
    if (path.equals("/100")) request.getInputStream().readAllBytes();
    if (path.equals("/close-delimited")) response.setHeader("connection", "close");
    if (path.equals("/trailers")) response.setTrailerFields(() -> Map.of("x-sum", "1"));
    if (path.equals("/large-header")) for (int at = 1; at <= 4; at += 1) response.setHeader("x-large-" + at, "x".repeat(${LARGE.length}));
    PrintWriter out = response.getWriter();
    out.print("{\\"name\\":");
    if (!path.equals("/100")) response.flushBuffer();
    out.print("\\"Ada\\"}");
  }
}`;

const tomcat: RealServer = {
  name: "Tomcat",
  programs: [`${TOMCAT}/lib/catalina.jar`, "java", "javac"],
  start: async (place, ports) => {
    writeFiles(place, "tomcat/webapps/ROOT");
    for (const folder of ["tomcat/temp", "tomcat/work", "tomcat/logs"]) place.makeFolder(folder);
    const servlet = place.write("tomcat/Scripted.java", SERVLET);
    const classes = place.makeFolder("tomcat/webapps/ROOT/WEB-INF/classes");
    await place.run("javac", ["-cp", `${TOMCAT}/lib/servlet-api.jar`, "-d", classes, servlet]);
    const scripted = ["/204", "/redirect", "/100", "/close-delimited", "/trailers", "/large-header", "/chunked"];
    const webApp = (content: string): string =>
      `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="5.0">${content}</web-app>`;
    place.write(
      "tomcat/conf/web.xml",
      webApp(`
        <servlet><servlet-name>default</servlet-name><servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
        <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
        <mime-mapping><extension>json</extension><mime-type>application/json</mime-type></mime-mapping>`),
    );
    place.write(
      "tomcat/webapps/ROOT/WEB-INF/web.xml",
      webApp(`
        <servlet><servlet-name>scripted</servlet-name><servlet-class>Scripted</servlet-class></servlet>
        ${scripted.map((path) => `<servlet-mapping><servlet-name>scripted</servlet-name><url-pattern>${path}</url-pattern></servlet-mapping>`).join("")}`),
    );
    const connector = `address="127.0.0.1" keepAliveTimeout="${IDLE_SECONDS * 1_000}" maxHttpResponseHeaderSize="32768"`;
    const secure = (port: number, version: string): string =>
      `<Connector port="${port}" ${connector} SSLEnabled="true">
         <SSLHostConfig protocols="${version}"><Certificate certificateFile="${place.cert}" certificateKeyFile="${place.key}" type="EC"/></SSLHostConfig>
       </Connector>`;
    place.write(
      "tomcat/conf/server.xml",
      `<Server port="-1"><Service name="Catalina">
         <Connector port="${ports.plain}" ${connector} compression="on" compressionMinSize="100" compressibleMimeType="application/json" useSendfile="false"/>
         ${secure(ports.tls12, "TLSv1.2")} ${secure(ports.tls13, "TLSv1.3")}
         <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine>
       </Service></Server>`,
    );
    const jars = [`${TOMCAT}/bin/bootstrap.jar`, `${TOMCAT}/bin/tomcat-juli.jar`].join(":");
    const base = `${place.folder}/tomcat`;
    const options = [`-Dcatalina.home=${TOMCAT}`, `-Dcatalina.base=${base}`, `-Djava.io.tmpdir=${base}/temp`];
    const args = ["-Xmx128m", ...options, "-cp", jars, "org.apache.catalina.startup.Bootstrap", "start"];
    await place.start("java", args, [ports.plain, ports.tls12, ports.tls13]);
  },
  differs: { 103: NO_EARLY_HINTS, "http-1.0": ALWAYS_NEW },
};

// ---- Go ------------------------------------------------------------------------------------------------------------

const GO = `package main

import ("compress/gzip"; "crypto/tls"; "io"; "net/http"; "os"; "strings"; "time")

func main() {
	body := os.Getenv("BODY")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "application/json")
		switch r.URL.Path {
		case "/204": w.WriteHeader(204); return
		case "/304": w.WriteHeader(304); return
		case "/redirect": http.Redirect(w, r, "/plain.json", 302); return
		case "/gzip.json":
			w.Header().Set("content-encoding", "gzip")
			zipped := gzip.NewWriter(w)
			zipped.Write([]byte(os.Getenv("LONG_BODY")))
			zipped.Close()
			return
		case "/large-header":
			for _, name := range strings.Split(os.Getenv("LARGE_FIELDS"), ",") { w.Header().Set(name, strings.Repeat("x", 3500)) }
		case "/100": io.ReadAll(r.Body)
		case "/103": w.Header().Set("link", "</a>"); w.WriteHeader(103)
		case "/trailers": w.Header().Set("trailer", "x-sum")
		}
		if r.URL.Path == "/chunked" || r.URL.Path == "/trailers" {
			io.WriteString(w, body[:5])
			w.(http.Flusher).Flush()
			io.WriteString(w, body[5:])
			w.Header().Set("x-sum", "1")
			return
		}
		io.WriteString(w, body)
	})
	serve := func(port string, version uint16) {
		server := &http.Server{Addr: "127.0.0.1:" + port, Handler: handler, IdleTimeout: ${IDLE_SECONDS} * time.Second}
		if version == 0 { panic(server.ListenAndServe()) }
		server.TLSConfig = &tls.Config{MinVersion: version, MaxVersion: version}
		panic(server.ListenAndServeTLS(os.Args[4], os.Args[5]))
	}
	go serve(os.Args[2], tls.VersionTLS12)
	go serve(os.Args[3], tls.VersionTLS13)
	serve(os.Args[1], 0)
}
`;

/** What the scripts of servers read from their environment. */
const SCRIPT_ENVIRONMENT = { BODY, LONG_BODY, LARGE_FIELDS: LARGE_FIELDS.join(",") };

function scriptArgs(place: Place, { plain, tls12, tls13 }: Ports): string[] {
  return [String(plain), String(tls12), String(tls13), place.cert, place.key];
}

const go: RealServer = {
  name: "Go",
  programs: ["go"],
  start: async (place, ports) => {
    const source = place.write("go/main.go", GO);
    const program = `${place.folder}/go/server`;
    const environment = { GOCACHE: place.makeFolder("go/cache"), GOFLAGS: "-mod=mod", GO111MODULE: "off" };
    await place.run("go", ["build", "-o", program, source], environment);
    const listens = [ports.plain, ports.tls12, ports.tls13];
    await place.start(program, scriptArgs(place, ports), listens, SCRIPT_ENVIRONMENT);
  },
  differs: { 304: { path: "/304" }, "http-1.0": ALWAYS_NEW, "close-delimited": NOT_BY_CLOSING },
};

// ---- Python --------------------------------------------------------------------------------------------------------

const PYTHON = `
import gzip, os, ssl, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY = os.environ["BODY"].encode()

class New(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = ${IDLE_SECONDS}

    def log_message(self, *args): pass

    def reply(self, status, fields, body):
        self.send_response(status)
        for name, value in fields.items(): self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)

    def do_GET(self):
        length = {"content-length": str(len(BODY))}
        if self.path == "/204": self.reply(204, {}, b"")
        elif self.path == "/304": self.reply(304, {}, b"")
        elif self.path == "/redirect": self.reply(302, {"location": "/plain.json", "content-length": "0"}, b"")
        elif self.path == "/gzip.json":
            zipped = gzip.compress(os.environ["LONG_BODY"].encode())
            self.reply(200, {"content-encoding": "gzip", "content-length": str(len(zipped))}, zipped)
        elif self.path in ("/chunked", "/trailers"):
            self.reply(200, {"transfer-encoding": "chunked"}, b"%x\\r\\n%b\\r\\n0\\r\\n" % (len(BODY), BODY))
            self.wfile.write(b"x-sum: 1\\r\\n\\r\\n" if self.path == "/trailers" else b"\\r\\n")
        elif self.path == "/close-delimited" or self.path == "/http-1.0":
            self.close_connection = True
            self.reply(200, {}, BODY)
        else:
            if self.path == "/103":
                self.send_response_only(103)
                self.send_header("link", "</a>")
                self.end_headers()
            large = {name: "x" * 3500 for name in os.environ["LARGE_FIELDS"].split(",")}
            self.reply(200, {**length, **(large if self.path == "/large-header" else {})}, BODY)

    do_HEAD = do_GET

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.do_GET()

class Old(New):
    protocol_version = "HTTP/1.0"

def serve(port, handler, version=None):
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    if version is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = context.maximum_version = version
        context.load_cert_chain(sys.argv[4], sys.argv[5])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever).start()

serve(sys.argv[1], New)
serve(sys.argv[2], New, ssl.TLSVersion.TLSv1_2)
serve(sys.argv[3], New, ssl.TLSVersion.TLSv1_3)
serve(sys.argv[6], Old)
`;

const python: RealServer = {
  name: "Python",
  programs: ["python3"],
  start: async (place, ports) => {
    const script = place.write("server.py", PYTHON);
    const args = [script, ...scriptArgs(place, ports), String(ports.old)];
    await place.start("python3", args, [ports.plain, ports.tls12, ports.tls13, ports.old], SCRIPT_ENVIRONMENT);
  },
  differs: { 304: { path: "/304" }, "http-1.0": { port: "old" } },
};

// ---- Node ----------------------------------------------------------------------------------------------------------

const NODE = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { gzipSync } from "node:zlib";

const [plain, tls12, tls13, cert, key] = process.argv.slice(2);
const { BODY, LONG_BODY, LARGE_FIELDS } = process.env;
const listener = (request, response) => {
  const length = { "content-length": BODY.length };
  response.setHeader("content-type", "application/json");
  switch (request.url) {
    case "/204": return response.writeHead(204).end();
    case "/304": return response.writeHead(304).end();
    case "/redirect": return response.writeHead(302, { location: "/plain.json" }).end();
    case "/gzip.json": return response.setHeader("content-encoding", "gzip").end(gzipSync(LONG_BODY));
    case "/chunked": response.write(BODY.slice(0, 5)); return response.end(BODY.slice(5));
    case "/trailers":
      response.setHeader("trailer", "x-sum");
      response.write(BODY);
      response.addTrailers({ "x-sum": "1" });
      return response.end();
    case "/close-delimited":
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.removeHeader("content-length");
      response.write(BODY);
      return response.end();
    case "/large-header": for (const name of LARGE_FIELDS.split(",")) response.setHeader(name, "x".repeat(3500)); break;
    case "/103": response.writeEarlyHints({ link: "</a>" }); break;
  }
  request.resume().on("end", () => response.writeHead(200, length).end(BODY));
};
const serve = (server, port) => {
  server.keepAliveTimeout = ${IDLE_SECONDS * 1_000};
  server.listen(Number(port), "127.0.0.1");
};
const secure = (version) => ({ minVersion: version, maxVersion: version, cert: readFileSync(cert), key: readFileSync(key) });
serve(createServer({ keepAliveTimeoutBuffer: 0 }, listener), plain);
serve(createSecureServer(secure("TLSv1.2"), listener), tls12);
serve(createSecureServer(secure("TLSv1.3"), listener), tls13);
`;

const node: RealServer = {
  name: "Node",
  programs: [process.execPath],
  start: async (place, ports) => {
    const script = place.write("server.mjs", NODE);
    const args = [script, ...scriptArgs(place, ports)];
    await place.start(process.execPath, args, [ports.plain, ports.tls12, ports.tls13], SCRIPT_ENVIRONMENT);
  },
  differs: { 304: { path: "/304" }, "http-1.0": ALWAYS_NEW },
};

export const SERVERS: readonly RealServer[] = [nginx, apache, lighttpd, haproxy, tomcat, php, go, python, node];
