import { writeEdgeCache } from '../../server/src/edge/cache/edge-cache-file.ts';
import { createKeyring, parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';

// Writes the file of an edge cache again and again, until it is killed: `node cache-writer.ts PATH NAMES`.

const [path = '', names = '0'] = process.argv.slice(2);
const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(ENCRYPTION_KEY) });
const chain = 'x'.repeat(3000);
for (let round = 1; ; round += 1) {
  const entries = Array.from({ length: Number(names) }, (_, i) => ({ hostname: `${i}.example.com`, chain, round }));
  await writeEdgeCache({ path, database: 'the same', keyring }, { confirmedAt: round, entries });
  process.stdout.write(`${round}\n`);
}
