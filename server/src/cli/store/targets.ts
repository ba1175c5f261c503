import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { ownHosts } from '../../config/config.ts';
import { hostSharedBy, sharedBy } from '../../domain/shared-hosting.ts';
import { canonicalAddress, isPublic } from '../../net/addresses.ts';
import type { SharedTarget } from '../../store/store.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { define, type StoreOptions, storeCommand } from '../options.ts';
import { type Column, dateTime, listing } from '../output/output.ts';
import { changeAction, hostnameOf, storeAction } from './open-database.ts';
import { EXAMPLE_WORKSPACE, noWorkspace } from './workspaces.ts';

const EXAMPLE_HOST = 'customers.example.net';

const COLUMNS: Column<SharedTarget>[] = [
  { title: 'Host', text: ({ host }) => host },
  { title: 'Workspace', text: ({ workspaceId }) => workspaceId },
  { title: 'Addresses', text: ({ addresses }) => addresses.join(' ') || '-' },
  { title: 'Added', text: ({ createdAt }) => dateTime(createdAt) },
];

export function addTargets(program: Command): void {
  const summary =
    "Manage shared targets: hosts of a platform that its customers' names already lead to. Opens the database itself, so no server needs to run.";
  const targets = define(program, 'targets', summary, [
    `nameplate targets add ${EXAMPLE_HOST} --workspace ${EXAMPLE_WORKSPACE}`,
    'nameplate targets list',
  ]);
  addAdd(targets);
  storeCommand(targets, 'list', 'List shared targets, in order of their hosts.', ['--json']).action(
    storeAction(({ store }) => store.listSharedTargets(), listing(COLUMNS, 'No shared targets.')),
  );
  storeCommand(targets, 'remove <host>', 'Remove a shared target that no domain uses.', [EXAMPLE_HOST]).action(
    changeAction(
      async ({ store }, name) => {
        const host = await hostnameOf(name);
        const target = (await store.listSharedTargets()).find((each) => each.host === host);
        const removed = target && (await store.removeSharedTarget(host, target.workspaceId));
        if (removed?.kind === 'in_use')
          throw new CliError(
            `${removed.domains === 1 ? '1 domain has' : `${removed.domains} domains have`} the target ${host}. Delete them first.`,
          );
        if (removed?.kind !== 'removed') throw noTarget(host);
        return { host };
      },
      ({ host }) => `Removed the shared target ${host}.`,
    ),
  );
}

type AddOptions = StoreOptions & { workspace: string; address?: string[] };

function addAdd(targets: Command): void {
  const summary =
    'Give a workspace a shared target, or change the addresses of one. A name that leads there is verified for this workspace only.';
  storeCommand(targets, 'add <host>', summary, [
    `${EXAMPLE_HOST} --workspace ${EXAMPLE_WORKSPACE} --address 203.0.113.7`,
  ])
    .requiredOption('--workspace <id>', 'the workspace')
    .option(
      '--address <ip>',
      'an address of the platform that names lead to without a CNAME; repeat it for several',
      collectAddresses,
    )
    .action(
      changeAction<SharedTarget & { domains: number }, AddOptions>(
        async ({ store, options }, name) => {
          const host = await targetOf(name);
          const { workspace: workspaceId, address: addresses = [] } = options;
          const target = { host, workspaceId, addresses, createdAt: systemClock.now() };
          const added = await store.addSharedTarget(target);
          switch (added.kind) {
            case 'added':
              return { ...target, domains: added.domains };
            case 'workspace_missing':
              throw noWorkspace(workspaceId);
            case 'busy':
              throw new CliError(`Domains with the target ${host} were added meanwhile. Run the same command again.`);
            case 'taken':
              throw new CliError(`${host} cannot be a target of ${workspaceId}: ${added.by} has ${added.what}.`);
            default:
              return added satisfies never;
          }
        },
        ({ host, workspaceId, addresses }) =>
          `${host} is a shared target of ${workspaceId}${addresses.length === 0 ? '' : `, with ${addresses.join(', ')}`}.`,
      ),
    );
}

/** The host that was typed. Throws `CliError` where nobody may have it as a target. */
async function targetOf(name: string): Promise<string> {
  const { parseName } = await import('../../domain/name.ts');
  // NAMEPLATE_RESERVED_NAMES may well have the platform's own zone.
  const reserved = ownHosts();
  const parsed = parseName(await hostnameOf(name), { service: 'service', reserved, refusesWildcards: true });
  if (!parsed.ok) throw new CliError(`The target ${parsed.message}.`, { exitCode: EXIT.usage });
  const provider = hostSharedBy(parsed.name);
  if (provider === undefined) return parsed.name;
  throw new CliError(
    `The target must not be ${parsed.name}: all customers of ${provider} lead names there, so it proves nothing. Give a host of your own.`,
    { exitCode: EXIT.usage },
  );
}

function noTarget(host: string): CliError {
  return new CliError(`There is no shared target ${host}. "nameplate targets list" lists all.`);
}

/** In canonical form. */
function collectAddresses(text: string, before: string[] = []): string[] {
  const address = canonicalAddress(text);
  if (address === null) throw new InvalidArgumentError('Expected an IP address.');
  if (!isPublic(address)) throw new InvalidArgumentError('It is no public address, so it proves nothing.');
  const provider = sharedBy(address);
  if (provider !== undefined)
    throw new InvalidArgumentError(`${provider} shares it among its customers, so it proves nothing.`);
  return [...new Set([...before, address])];
}
