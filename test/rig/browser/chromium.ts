import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));

/** The browser of the package is for x64 alone. */
export const NO_BROWSER = process.arch === "x64" ? false : "there is no Chromium for this processor among the packages";

/** Packed with the browser: what a bare Debian lacks, and fonts. */
const UNPACK = `
  import { inflate } from "@sparticuz/chromium";
  const folder = process.argv[1];
  for (const name of ["chromium.br", "al2023.tar.br", "fonts.tar.br"]) await inflate(folder + "/bin/" + name);
`;

/** The folder with the browser, unpacked once and kept for the next tests. */
function unpackedChromium(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { readonly version: string };
  const cache = join(ROOT, ".cache");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const unpacked = mkdtempSync(join(cache, "chromium-"));
  execFileSync(process.execPath, ["--input-type=module", "--eval", UNPACK, PACKAGE], {
    cwd: ROOT,
    // The package unpacks into the folder for temporary files.
    env: { ...process.env, TMPDIR: unpacked },
  });
  // That of the package names folders of another machine.
  writeFileSync(
    join(unpacked, "fonts/fonts.conf"),
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  );
  try {
    renameSync(unpacked, folder);
  } catch (error) {
    // Another test was faster.
    if (!existsSync(folder)) throw error;
    rmSync(unpacked, { recursive: true });
  }
  return folder;
}

/** A headless Chromium, which makes no requests of its own. */
export async function launchChromium(): Promise<Browser> {
  const folder = unpackedChromium();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    // The tests also run as root, for whom Chromium has no sandbox. It opens nothing but our own pages.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"],
    env: {
      PATH: process.env["PATH"]!,
      HOME: folder,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_PATH: join(folder, "fonts"),
    },
  });
}
