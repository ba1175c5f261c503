import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Static } from 'typebox';
import type { BoardSiteSchema, SiteCountsSchema } from '../../api/domains/board-operations.ts';
import { canonicalAddress } from '../../net/addresses.ts';
import type { ApiClient } from '../api/api-client.ts';
import { type PathOptions, pathFrom, pathOptions } from '../api/tree-commands.ts';
import { withRetries } from '../api/with-retries.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { apiCommand } from '../options.ts';

/** The board of a move, as the API returns it, and where its names are to lead. */

export type BoardSite = Static<typeof BoardSiteSchema>;
export type SiteCounts = Static<typeof SiteCountsSchema>;

export interface BoardOptions extends PathOptions {
  from?: string;
}

const SERVICES = ['cloudflare', 'vercel', 'caddy', 'csv'];
const PATH = ['project', 'app', 'environment'] as const;

/** A command about the names of a move. */
export function boardCommand(
  move: Command,
  usage: string,
  summary: string,
  examples: string[],
  json?: string,
): Command {
  const from = new Option('--from <service>', 'only names that came from it (default: all names)');
  const command = apiCommand(move, usage, summary, examples, json).addOption(from.choices(SERVICES));
  return pathOptions(command, [...PATH]);
}

/** The filter of the board that the options name: an environment only if they name one. */
function filterOf(api: ApiClient, options: BoardOptions): object {
  const { from, environment } = options;
  const within = environment === undefined ? undefined : pathFrom(api, options, [...PATH]);
  return { ...(within && { within }), ...(from !== undefined && { movedFrom: from }) };
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
    const page = await withRetries(() => api.page<BoardSite>('domains.listSites', { ...body, cursor }));
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
  edge?: EdgePlace[];
}

export function edgeOption(command: Command): Command {
  return command.option(
    '--edge <address>',
    "address of the edge, with a port if it is not 443; may be repeated (default: the server's NAMEPLATE_EDGE_ADDRESSES)",
    collectEdges,
  );
}

export function parseEdge(text: string): EdgePlace {
  const [, bracketed, port] = /^\[(.*)\](?::(\d{1,5}))?$/.exec(text) ?? [];
  const [, host, itsPort] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = canonicalAddress(bracketed ?? host ?? text);
  const number = Number(port ?? itsPort ?? 443);
  if (address === null || number < 1 || number > 65_535 || (bracketed !== undefined && isIP(address) !== 6))
    throw new InvalidArgumentError(
      'Expected an IP address such as 203.0.113.7, 203.0.113.7:8443 or [2001:db8::1]:443.',
    );
  return { address, port: number };
}

function collectEdges(text: string, before: EdgePlace[] = []): EdgePlace[] {
  return [...before, parseEdge(text)];
}

/** At least one. Throws `CliError` where none is known. */
export async function edgesOf(api: ApiClient, options: BoardOptions & EdgeOption): Promise<EdgePlace[]> {
  if (options.edge !== undefined) return options.edge;
  if (api.playground !== null) return [parseEdge(api.playground.edge.https)];
  const { edgeAddresses } = await countBoard(api, options);
  if (edgeAddresses.length > 0) return edgeAddresses.map((address) => ({ address, port: 443 }));
  throw new CliError('The server does not know the addresses of its edge. Name them with --edge ADDRESS.', {
    exitCode: EXIT.usage,
  });
}

/** Where DNS is asked: undefined for the nameservers of this machine. */
export function resolversOf({ playground }: ApiClient, { resolver }: ResolverOption): string[] | undefined {
  if (resolver !== undefined) return [resolver];
  return playground === null ? undefined : [playground.dns];
}

export interface ResolverOption {
  resolver?: string;
}

export function resolverOption(command: Command): Command {
  return command.option(
    '--resolver <address>',
    'resolver to ask in place of those of this machine, such as 1.1.1.1 or [::1]:5353',
    (text: string) => {
      if (!/^\d|^\[/.test(text) && isIP(text) === 0) throw new InvalidArgumentError('Expected an IP address.');
      return text;
    },
  );
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
