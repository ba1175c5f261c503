// Plain JavaScript, because an older Node cannot run the TypeScript of the program.
if (Number.parseInt(process.versions.node, 10) >= 24) await import('../src/cli/cli.ts');
else {
  console.error(`nameplate: needs Node 24 or newer, but this is Node ${process.versions.node}. Install a newer one.`);
  process.exitCode = 1;
}
