import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { CliError, messageOf } from '../cli-error.ts';
import { type ApiOptions, addPair, apiCommand } from '../options.ts';
import { jsonText } from '../output/output.ts';
import { type ApiClient, connect } from './api-client.ts';
import type { ExportedDomain } from './domains-csv.ts';
import { withRetries } from './with-retries.ts';

interface ExportOptions extends ApiOptions {
  output?: string;
  status?: string;
  certificate?: string;
  search?: string;
  externalId?: string;
  metadata?: Record<string, string>;
}

const STATUSES = ['pending', 'verifying', 'verified', 'failed'];
const STATES = ['wanted', 'waiting_for_routing', 'ordering', 'issued', 'renewing', 'failed'];

export function addExport(domains: Command): void {
  const summary =
    'Write the domains of all environments as CSV, in order of their names. "domains import" reads the file. With --json, write one JSON document instead.';
  const examples = ['nameplate domains export > domains.csv', '--status failed --output failed.csv'];
  apiCommand(domains, 'export', summary, examples)
    .option('--output <path>', 'file to write (default: standard output)')
    .addOption(new Option('--status <status>', 'only domains with this status').choices(STATUSES))
    .addOption(new Option('--certificate <state>', 'only domains whose certificate is in this state').choices(STATES))
    .option('--search <text>', 'only domains whose name or id contains this')
    .option('--external-id <id>', 'only domains with this external id')
    .option('--metadata <key=value>', 'only domains whose metadata has this pair; repeat it for several', addPair)
    .action(async ({ output, status, certificate, search, externalId, metadata, ...options }: ExportOptions) => {
      const api = await connect(options);
      const pages = readPages(api, { status, certificate, search, externalId, metadata });
      const texts = options.json ? renderJson(pages) : renderCsv(pages);
      if (output === undefined) await writeOut(texts);
      else await writeFile(output, texts);
    });
}

async function* readPages(api: ApiClient, query: object): AsyncGenerator<ExportedDomain[]> {
  let cursor: string | undefined;
  do {
    const page = await withRetries(() =>
      api.page<ExportedDomain>('domains.listWorkspaceDomains', { ...query, cursor }),
    );
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function* renderCsv(pages: AsyncIterable<ExportedDomain[]>): AsyncGenerator<string> {
  const { renderDomains } = await import('./domains-csv.ts');
  let header = true;
  for await (const items of pages) {
    yield renderDomains(items, { header });
    header = false;
  }
}

async function* renderJson(pages: AsyncIterable<ExportedDomain[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const items of pages) {
    for (const item of items) {
      yield `${before}${jsonText(item)}`;
      before = ',\n';
    }
  }
  yield before === '[' ? '[]\n' : ']\n';
}

/** Ends early where the reader has gone. */
async function writeOut(texts: AsyncIterable<string>): Promise<void> {
  const { stdout } = process;
  for await (const text of texts) {
    if (!stdout.writable) return;
    // It rejects where the reader has gone.
    if (!stdout.write(text)) await once(stdout, 'drain').catch(() => {});
  }
}

/** Writes all of the file or none of it. */
async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(texts), createWriteStream(`${path}.part`));
    await rename(`${path}.part`, path);
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}
