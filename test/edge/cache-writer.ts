import { siteLine, writeEdgeCache } from '../../src/edge/edge-cache/edge-cache-file.ts';

// Writes the file of an edge cache again and again, until it is killed: `node cache-writer.ts PATH NAMES`.

const [path = '', names = '0'] = process.argv.slice(2);
const chain = 'x'.repeat(3000);
for (let round = 1; ; round += 1) {
  const lines = Array.from({ length: Number(names) }, (_, i) => {
    const site = {
      hostname: `${i}.example.com`,
      workspaceId: 'ws_1',
      domainId: 'dom_1',
      environmentId: `env_${round}`,
      redirect: null,
      suspendedStatus: null,
    };
    const certificate = { chain, privateKey: new Uint8Array(175), notAfter: round, inherited: false };
    return siteLine({ site, certificate, confirmedAt: null }, round);
  });
  await writeEdgeCache({ path, database: 'the same' }, lines, round);
  process.stdout.write(`${round}\n`);
}
