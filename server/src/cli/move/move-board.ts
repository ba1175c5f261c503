import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Static } from 'typebox';
import type { SiteCountsSchema } from '../../api/domains/countSites.ts';
import type { SiteSchema } from '../../api/domains/site.ts';
import { canonicalAddress } from '../../net/addresses.ts';
import type { ApiClient } from '../api/api-client.ts';
import { type PathOptions, pathFrom, pathOptions } from '../api/tree-commands.ts';
import { withRetries } from '../api/with-retries.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { apiCommand } from '../options.ts';

/** The names of a move, as the API returns them, and where they are to lead. */

export type BoardSite = Static<typeof SiteSchema>;
export type SiteCounts = Static<typeof SiteCountsSchema>;

export interface BoardOptions extends PathOptions {
  from?: string;
}

const SERVICES = ['cloudflare', 'vercel', 'caddy', 'csv'];
const PATH = ['project', 'app', 'environment'] as const;

/** A command about the names of a move. */
export function boardCommand(move: Command, usage: string, summary: string, examples: string[], json?: string) {
  const from = new Option('--from <service>', 'only names that were added from this service (default: all names)');
  const command = apiCommand(move, usage, summary, examples, json).addOption(from.choices(SERVICES));
  return pathOptions(command, [...PATH]);
}

/** The filter that the options name: an environment only if they name one. */
function filterOf(api: ApiClient, options: BoardOptions): object {
  const { from, environment } = options;
  const within = environment === undefined ? undefined : pathFrom(api, options, [...PATH]);
  return { ...(within && { within }), ...(from !== undefined && { metadata: { moved_from: from } }) };
}

export function countBoard(api: ApiClient, options: BoardOptions): Promise<SiteCounts> {
  return withRetries(() => api.call<SiteCounts>('domains.countSites', filterOf(api, options)));
}

/** Page after page. */
export async function* listBoard(
  api: ApiClient,
  options: BoardOptions,
  about: { ready?: boolean } = {},
): AsyncGenerator<BoardSite[]> {
  const body = { ...filterOf(api, options), ...about };
  let cursor: string | undefined;
  do {
    const page = await withRetries(() => api.page<BoardSite>('domains.listWorkspaceDomains', { ...body, cursor }));
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** An address of the edge. */
export interface EdgePlace {
  address: string;
  port: number;
}

export interface EdgeOption {
  edge?: string[];
}

export function edgeOption(command: Command): Command {
  return command.option(
    '--edge <address>',
    "IP address of the edge; repeat it for several (default: the server's NAMEPLATE_EDGE_ADDRESSES)",
    (text: string, before: string[] = []) => {
      const address = canonicalAddress(text);
      if (address === null) throw new InvalidArgumentError('Expected an IP address.');
      return [...before, address];
    },
  );
}

/** At least one. Throws `CliError` where none is known. */
export async function edgesOf(api: ApiClient, options: BoardOptions & EdgeOption): Promise<EdgePlace[]> {
  const known =
    api.playground === null ? async () => (await countBoard(api, options)).edgeAddresses : () => ['127.0.0.1'];
  const addresses = options.edge ?? (await known());
  if (addresses.length > 0) return addresses.map((address) => ({ address, port: edgePort(api) }));
  throw new CliError('The server does not know the addresses of its edge. Name them with --edge ADDRESS.', {
    exitCode: EXIT.usage,
  });
}

export function edgePort({ playground }: ApiClient): number {
  return Number(playground?.edge.https.split(':').at(-1) ?? 443);
}

/** Where DNS is asked: undefined for the nameservers of this machine. */
export function resolversOf({ playground }: ApiClient): string[] | undefined {
  return playground === null ? undefined : [playground.dns];
}

/** Runs work on each item, on at most so many at once. */
export async function forEachOf<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: Math.min(most, items.length) }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
