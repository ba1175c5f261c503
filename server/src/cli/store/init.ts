import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { PRESETS } from '../../../../words/presets.ts';
import { createRootKey } from '../../access/secret-text.ts';
import { systemClock } from '../../base/clock.ts';
import { idMaker } from '../../base/ids.ts';
import { ConfigError, type Endpoint, readServerConfig } from '../../config/config.ts';
import type { AuditedStore, Changes, Workspace } from '../../store/store.ts';
import { CliError } from '../cli-error.ts';
import { parseName, type StoreOptions, shellQuote, storeCommand, storeFlag } from '../options.ts';
import { paint, printable, show } from '../output/output.ts';
import { ensureTree } from './ensure-tree.ts';
import { withChanges } from './open-database.ts';

interface Slugs {
  project: string;
  app: string;
  environment: string;
}

interface Initialised extends Slugs {
  workspaceId: string;
  keyId: string;
  url: string;
  key: string;
}

type InitOptions = StoreOptions & Slugs;

export function addInit(program: Command): void {
  const summary =
    'Create the first workspace, project, app and environment in an empty database, and a key with the preset "platform". Prints the variables that commands and your platform need to use the key, which is shown only once.';
  storeCommand(program, 'init [name]', summary, ['', "'My platform' --project shop"])
    .option('--project <slug>', 'slug of the project', parseSlug, 'main')
    .option('--app <slug>', 'slug of the app', parseSlug, 'web')
    .option('--environment <slug>', 'slug of the environment', parseSlug, 'production')
    .action(async (name: string | undefined, options: InitOptions) => {
      const named = parseName(name ?? 'My platform');
      const made = await withChanges(options, 'init', (store) => initialise(store, named, options), { create: true });
      show(options, made, describe);
    });
}

async function initialise(store: AuditedStore & Changes, name: string, options: InitOptions): Promise<Initialised> {
  const { project, app, environment } = options;
  const newId = idMaker(systemClock);
  const workspaceId = (await unfinished(store, name, options)) ?? newId('ws');
  const createdAt = systemClock.now();
  // An earlier run may have created the workspace.
  if ((await store.findWorkspace(workspaceId)) === null) {
    const limits = { rates: {}, domains: null };
    await store.createWorkspace({ id: workspaceId, name, disabledAt: null, limits, createdAt });
  }
  await ensureTree({ store, clock: systemClock, newId }, workspaceId, { project, app, environment });
  const { key, hash, start } = createRootKey(randomBytes);
  const keyId = newId('key');
  const about = { name: 'platform', start, permissions: [...PRESETS.platform], expiresAt: null, disabledAt: null };
  await store.createRootKey({ id: keyId, workspaceId, ...about, createdAt }, hash);
  return { workspaceId, keyId, url: apiUrl(), key, project, app, environment };
}

/**
 * The workspace of an earlier run that was interrupted before it made the key; null in an empty store. Throws
 * `CliError` in every other.
 */
async function unfinished(store: AuditedStore, name: string, options: InitOptions): Promise<string | null> {
  const [first, ...others] = await store.listWorkspaces();
  if (first === undefined) return null;
  const hasKeys = (await store.listRootKeys()).length > 0;
  if (!hasKeys && others.length === 0 && first.name === name) return first.id;
  throw setUpAlready(first, others.length, options);
}

function setUpAlready({ id, name }: Workspace, others: number, options: InitOptions): CliError {
  const more = others === 0 ? '' : ` and ${others} more`;
  const flag = storeFlag(options);
  return new CliError(
    [
      `The store is set up already: it has the workspace ${id} "${printable(name)}"${more}. Nothing was changed, and keys are not shown again.`,
      `For another key: nameplate keys create --workspace ${id} --permission 'environment.*.read_domain'${flag}`,
      `For another workspace: nameplate workspaces create "${printable(name)} 2"${flag}`,
    ].join('\n'),
  );
}

/** Where a server with this configuration listens; other variables need not be valid. */
function apiUrl(): string {
  const { host, port } = configuredListen();
  // A listener on all addresses is reached through loopback; one on [::] by IPv4 too.
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function configuredListen(): Endpoint {
  try {
    return readServerConfig().listen;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.valid.listen ?? { host: '127.0.0.1', port: 7070 };
  }
}

/** A shell that evaluates the output has the variables. */
function describe({ workspaceId, url, key, project, app, environment }: Initialised): string {
  return [
    `# Created workspace ${workspaceId}, its environment ${project}/${app}/${environment}, and a key for your platform.`,
    '# Save the key now: it is not shown again.',
    paint('bold', `export NAMEPLATE_URL=${shellQuote(url)}`),
    paint('bold', `export NAMEPLATE_ROOT_KEY=${key}`),
    `# Next, while serve runs: nameplate deployments create https://origin.example.com --project ${project} --app ${app} --environment ${environment}`,
  ].join('\n');
}

/** Names in the form that the API takes. */
function parseSlug(text: string): string {
  if (!/^[a-z0-9-]{3,64}$/.test(text))
    throw new InvalidArgumentError('Expected 3 to 64 lower-case letters, digits and hyphens, such as web.');
  return text;
}
