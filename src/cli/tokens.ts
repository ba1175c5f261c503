import { type Command, InvalidArgumentError } from 'commander';
import { LONGEST_LIFE_MS, mintToken } from '../access/dashboard-token.ts';
import { currentSigningKey, rotateSigningKey } from '../access/signing-key.ts';
import { systemClock } from '../clock.ts';
import { idMaker } from '../ids.ts';
import type { Store } from '../store/contract/store.ts';
import { CliError } from './cli-error.ts';
import { collectPermission, noteGrants } from './keys.ts';
import { withStore } from './open-database.ts';
import { define, group, parseDuration, type StoreOptions, storeOptions } from './options.ts';
import { show } from './output.ts';

const EXAMPLE_WORKSPACE = 'ws_01kaghm5q6e8x9b2c3d4f5g6h7';
const DEFAULT_LIFE_MS = 60_000;

interface MintOptions extends StoreOptions {
  workspace: string;
  permission?: string[];
  subject: string;
  expires?: number;
}

export function addTokens(program: Command): void {
  const tokens = group(program, 'tokens', 'Dashboard tokens: short-lived JWTs in place of a root key.', [
    `nameplate tokens mint --workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    'nameplate tokens rotate',
  ]);
  addMint(tokens);
  addRotate(tokens);
}

function addMint(tokens: Command): void {
  const mint = define(tokens, 'mint', 'Print a token that is good for at most two minutes. For tests and scripts.', [
    `nameplate tokens mint --workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    `nameplate tokens mint --workspace ${EXAMPLE_WORKSPACE} --subject ada --expires 120s --json`,
  ]);
  storeOptions(mint)
    .requiredOption('--workspace <id>', 'workspace that the token is good for')
    .option('--permission <permission>', 'what the token may do; may be given several times', collectPermission)
    .option('--subject <subject>', 'whom the token speaks for', 'nameplate tokens mint')
    .option('--expires <time>', 'how long it is good, up to 120s (default: 60s)', parseLife)
    .action(async ({ workspace, permission, subject, expires = DEFAULT_LIFE_MS, ...options }: MintOptions) => {
      const claims = { sub: subject, workspaceId: workspace, permissions: [...new Set(permission)] };
      const minted = await withStore(options, async (store) => {
        if ((await store.findWorkspace(workspace)) === null) {
          throw new CliError(`There is no workspace ${workspace}. "nameplate workspaces list" shows all.`);
        }
        const key = await currentSigningKey(partsOn(store));
        return { keyId: key.id, ...(await mintToken(key, claims, { now: systemClock.now(), lifeMs: expires })) };
      });
      await noteGrants('token', claims.permissions);
      show(options, { ...minted, ...claims }, ({ token }) => token);
    });
}

function addRotate(tokens: Command): void {
  const rotate = define(tokens, 'rotate', 'Sign with a new key. Tokens that are out stay good until they expire.', [
    'nameplate tokens rotate',
    'nameplate tokens rotate --revoke',
  ]);
  storeOptions(rotate)
    .option('--revoke', 'refuse every token that is out within a second: the old key may be in wrong hands')
    .action(async ({ revoke = false, ...options }: StoreOptions & { revoke?: boolean }) => {
      const { id, createdAt } = await withStore(options, (store) => rotateSigningKey(partsOn(store), { revoke }));
      const before = revoke
        ? 'Within a second every older token is refused.'
        : 'Older tokens are good until they expire.';
      show(options, { id, createdAt }, () => `Tokens are signed with ${id} from now on. ${before}`);
    });
}

function partsOn(store: Store) {
  return { store, clock: systemClock, newId: idMaker(systemClock) };
}

function parseLife(text: string): number {
  const ms = parseDuration(text);
  if (ms < 1000 || ms > LONGEST_LIFE_MS) throw new InvalidArgumentError('A token is good for 1s to 120s.');
  return ms;
}
