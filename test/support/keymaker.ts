import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { databaseAt } from '../../server/src/store/database.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';

// Makes and revokes root keys straight on the store while a server runs on it, as `nameplate keys` does, and says on
// standard output what has been acknowledged, before it asks for the next: `node keymaker.ts URL WORKSPACE`.

/** A line of standard output. What `asked` names may have happened or not, unless its outcome follows. */
export type KeySaid = { hash: string; key: string } & ({ asked: 'make' | 'revoke' } | { done: 'make' | 'revoke' });

const [database = '', workspaceId = ''] = process.argv.slice(2);
const newId = idMaker(systemClock);
const store = await (await databaseAt(parseDatabaseUrl(database))).open();
const kept: { id: string; key: string; hash: string }[] = [];
process.stdin.resume().on('end', () => process.exit(0));

for (;;) {
  await make();
  if (kept.length > 3) await revoke();
  // The server's writes need their turn.
  await delay(20);
}

async function make(): Promise<void> {
  const { key, hash, start } = createRootKey(randomBytes);
  const hex = Buffer.from(hash).toString('hex');
  const id = newId('key');
  say({ asked: 'make', hash: hex, key });
  const about = { name: '', permissions: ['environment.*.read_domain'], expiresAt: null, disabledAt: null };
  await store.createRootKey({ id, workspaceId, start, ...about, createdAt: systemClock.now() }, hash);
  say({ done: 'make', hash: hex, key });
  kept.push({ id, key, hash: hex });
}

async function revoke(): Promise<void> {
  const revoked = kept.shift();
  if (revoked === undefined) return;
  const { id, key, hash } = revoked;
  say({ asked: 'revoke', hash, key });
  await store.revokeRootKey(id);
  say({ done: 'revoke', hash, key });
}

function say(said: KeySaid): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
