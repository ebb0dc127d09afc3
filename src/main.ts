const [command, ...rest] = process.argv.slice(2);

// Each loads what it needs and nothing else: a verb is over before a service would have been read.
if (command === "start" || command === "dev") await (await import("./commands/serve.ts")).serve(command, rest);
else if (command === "simulate") await (await import("./commands/serve-vendors.ts")).serveVendors(rest);
else await runVerb();

async function runVerb(): Promise<void> {
  const [{ findVerbs }, { runCli }, { COMMANDS, openVerbs }] = await Promise.all([
    import("./admin/find-verbs.ts"),
    import("./cli/run-cli.ts"),
    import("./commands/open-verbs.ts"),
  ]);
  // Asked for only where it is to be shown: it may have to ask git.
  const version = async () => {
    const [{ readDeployment }, { PACKAGE_ROOT }] = await Promise.all([
      import("./composition/deployment.ts"),
      import("./project/package-root.ts"),
    ]);
    return (await readDeployment(PACKAGE_ROOT)).gitDerivedVersion;
  };
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env };
  process.exitCode = await runCli(process.argv.slice(2), io, {
    verbs: findVerbs(),
    others: COMMANDS,
    open: openVerbs,
    version,
  });
}
