import { type Command, InvalidArgumentError } from 'commander';
import { MAX_TOKEN_LIFE_MS } from '../../access/signed-token.ts';
import { currentSigningKey, rotateSigningKey } from '../../access/signing-key.ts';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import type { AuditedStore, Changes } from '../../store/store.ts';
import { requirePermissions } from '../catalogue.ts';
import { collectNames, define, parseDuration, type StoreOptions, storeCommand } from '../options.ts';
import { show } from '../output/output.ts';
import { withChanges } from './open-database.ts';
import { EXAMPLE_WORKSPACE, noWorkspace } from './workspaces.ts';

const DEFAULT_LIFE_MS = 60_000;

interface CreateOptions extends StoreOptions {
  workspace: string;
  permission?: string[];
  subject: string;
  expires?: number;
}

export function addTokens(program: Command): void {
  const summary =
    'Manage dashboard tokens, which are short-lived JWTs used in place of a root key. Opens the database itself, so no server needs to run.';
  const tokens = define(program, 'tokens', summary, [
    `nameplate tokens create --workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    'nameplate tokens rotate',
  ]);
  addCreate(tokens);
  addRotate(tokens);
}

function addCreate(tokens: Command): void {
  const summary = 'Create a token and print it, for tests and scripts. It is valid for at most two minutes.';
  storeCommand(tokens, 'create', summary, [
    `--workspace ${EXAMPLE_WORKSPACE} --permission 'environment.*.read_domain'`,
    `--workspace ${EXAMPLE_WORKSPACE} --subject ada --expires 120s --json`,
  ])
    .requiredOption('--workspace <id>', 'workspace of the token')
    .option(
      '--permission <permission>',
      'what the token allows, such as environment.*.read_domain; repeat it for several. docs/reference/permissions.md lists all permissions (default: nothing)',
      collectNames,
    )
    .option('--subject <subject>', 'the user the token stands for', 'nameplate tokens create')
    .option('--expires <time>', 'how long the token is valid, 1s to 120s (default: 60s)', parseLife)
    .action(async ({ workspace, permission, subject, expires = DEFAULT_LIFE_MS, ...options }: CreateOptions) => {
      const claims = { sub: subject, workspaceId: workspace, permissions: [...new Set(permission)] };
      await requirePermissions('token', claims.permissions);
      const { signToken } = await import('../../access/dashboard-token.ts');
      const created = await withChanges(options, 'tokens create', async (store) => {
        if ((await store.findWorkspace(workspace)) === null) throw noWorkspace(workspace);
        const key = await currentSigningKey(signingDeps(store));
        return { keyId: key.id, ...(await signToken(key, claims, { now: systemClock.now(), lifeMs: expires })) };
      });
      show(options, { ...created, ...claims }, ({ token }) => token);
    });
}

function addRotate(tokens: Command): void {
  const summary = 'Sign new tokens with a new signing key. Older tokens stay valid until they expire.';
  storeCommand(tokens, 'rotate', summary, ['', '--revoke'])
    .option('--revoke', 'also reject all older tokens within a second, for when the old signing key has leaked')
    .action(async ({ revoke = false, ...options }: StoreOptions & { revoke?: boolean }) => {
      const { id, createdAt } = await withChanges(options, 'tokens rotate', (store) =>
        rotateSigningKey(signingDeps(store), { revoke }),
      );
      const older = revoke
        ? 'Every server rejects older tokens within a second.'
        : 'Older tokens stay valid until they expire.';
      show(options, { id, createdAt }, () => `New tokens are signed with ${id}. ${older}`);
    });
}

function signingDeps(store: AuditedStore & Changes) {
  return { store, clock: systemClock, newId: idMaker(systemClock) };
}

function parseLife(text: string): number {
  const ms = parseDuration(text);
  if (ms < 1000 || ms > MAX_TOKEN_LIFE_MS) throw new InvalidArgumentError('A token is valid for 1s to 120s.');
  return ms;
}
