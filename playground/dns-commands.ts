import { Argument, type Command } from 'commander';
import { noPlayground, playgroundClient, startAdvice, unreachable } from '../server/src/cli/api/api-client.ts';
import { CliError, EXIT } from '../server/src/cli/cli-error.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../server/src/cli/data-dir.ts';
import {
  type DataOptions,
  DEFAULT_DATA,
  dataCommand,
  dataFlag,
  define,
  PROGRAM,
  parseCount,
  shellQuote,
} from '../server/src/cli/options.ts';
import { type Column, listing, paint, printable, show, table, timeOfDay } from '../server/src/cli/output/output.ts';
import { recordsTable, type ShownDomain } from '../server/src/cli/output/show-domain.ts';
import type { ControlCommands, ControlResults } from './control.ts';
import { FAULTS, type SimulatedFault } from './dns/simulated-fault.ts';
import { InvalidRecord, parseRecord, type SimulatedRecord } from './dns/simulated-record.ts';
import type { LoggedQuery } from './dns/simulator.ts';

const RECORD_COLUMNS: Column<SimulatedRecord>[] = [
  { title: 'Name', text: ({ name }) => name },
  { title: 'Type', text: ({ type }) => type },
  { title: 'Value', text: ({ values }) => values.join(', ') },
  { title: 'TTL', text: ({ ttl }) => String(ttl) },
];

const FAULT_COLUMNS: Column<SimulatedFault>[] = [
  { title: 'Name', text: ({ name }) => name },
  { title: 'Fault', text: ({ fault }) => fault ?? '' },
  { title: 'Delay', text: ({ delayMs }) => (delayMs === 0 ? '' : `${delayMs} ms`) },
];

const QUERY_COLUMNS: Column<LoggedQuery>[] = [
  { title: 'Time', text: ({ at }) => timeOfDay(at) },
  { title: 'Name', text: ({ name }) => name },
  { title: 'Type', text: ({ type }) => type },
  { title: 'Response', text: ({ rcode }) => rcode },
  { title: 'Over', text: ({ transport }) => transport.toUpperCase() },
];

/** Types of routing records: a name has records of only one of them. */
const ROUTING_TYPES = ['A', 'AAAA', 'ALIAS', 'CNAME'];

export function addDns(program: Command): void {
  const dns = define(program, 'dns', "Set records in the playground's DNS simulator, as you would at a DNS provider.", [
    'nameplate dns publish shop.example.com',
    'nameplate dns set shop.example.com CNAME elsewhere.example.net',
  ]);
  addSet(dns);
  addRemove(dns);
  addPublish(dns);
  addFail(dns);
  addList(dns);
  addLog(dns);
}

function addSet(dns: Command): void {
  const summary = 'Replace all records of a name and type, with one record for each value.';
  const examples = [
    'shop.example.com CNAME elsewhere.example.net',
    'example.com TXT "first" "second" --ttl 300',
    'example.com CAA 0 issue "letsencrypt.org"',
  ];
  dataCommand(dns, 'set <name> <type> <value...>', summary, examples)
    .option('--ttl <seconds>', 'how long resolvers may cache the records, in seconds (default: 60)', parseCount)
    .action(async (name: string, type: string, typed: string[], options: DataOptions & { ttl?: number }) => {
      const { ttl } = options;
      const record = { name, type, values: joinCaa(type, typed), ...(ttl !== undefined && { ttl }) };
      validate(record);
      await control(options, 'set', record);
      show(options, record, () => `Set ${printable(`${type.toUpperCase()} ${name}`)}.`);
    });
}

/** Joins the three fields of a CAA record into one value; the shell has removed the quotation marks. */
function joinCaa(type: string, values: string[]): string[] {
  const [flags = '', tag = '', value = ''] = values;
  const isOne = type.toUpperCase() === 'CAA' && values.length === 3 && /^\d+$/.test(flags);
  return isOne ? [`${flags} ${tag} "${value.replace(/^"(.*)"$/, '$1')}"`] : values;
}

function addRemove(dns: Command): void {
  const summary = 'Remove the records of a name and type. Without a type, remove all records and faults of the name.';
  const examples = ['shop.example.com', '_service.shop.example.com TXT'];
  dataCommand(dns, 'remove <name> [type]', summary, examples).action(
    async (name: string, type: string | undefined, options: DataOptions) => {
      const body = { name, ...(type && { type }) };
      const { removed } = await control(options, 'remove', body);
      show(options, { ...body, removed }, () =>
        removed ? `Removed ${printable(name)}.` : `Nothing is set for ${printable(name)}.`,
      );
    },
  );
}

function addPublish(dns: Command): void {
  const summary = 'Publish all records that a domain needs, replacing other routing records of the name.';
  dataCommand(dns, 'publish <domain>', summary, ['shop.example.com', "'*.shop.example.com'"]).action(
    async (typed: string, options: DataOptions) => {
      const api = playgroundClient(await findPlayground(options), options.data);
      const { domain, dnsRecords } = await api.call<ShownDomain>('domains.getDomain', { domain: typed });
      for (const { name, type, value, ttl } of dnsRecords) {
        if (ROUTING_TYPES.includes(type)) {
          for (const other of ROUTING_TYPES.filter((each) => each !== type))
            await control(options, 'remove', { name, type: other });
        }
        await control(options, 'set', { name, type, values: [value], ttl });
      }
      show(options, dnsRecords, () => {
        const next = `${PROGRAM} domains wait ${shellQuote(printable(domain))} --certificate${dataFlag(options.data)}`;
        return `Published in the simulator:\n\n${recordsTable(dnsRecords)}\n\nNext: ${paint('bold', next)}`;
      });
    },
  );
}

function addFail(dns: Command): void {
  const examples = ['shop.example.com servfail', 'shop.example.com none'];
  dataCommand(
    dns,
    'fail <name>',
    'Make every query for exactly this name fail, until you set the fault "none".',
    examples,
  )
    .addArgument(new Argument('<fault>', 'how the queries fail').choices([...FAULTS, 'none']))
    .action(async (name: string, fault: ControlCommands['fail']['fault'], options: DataOptions) => {
      await control(options, 'fail', { name, fault });
      show(options, { name, fault }, () =>
        printable(fault === 'none' ? `Queries for ${name} work again.` : `Queries for ${name} now fail: ${fault}.`),
      );
    });
}

function addList(dns: Command): void {
  dataCommand(dns, 'list', 'List the records and faults that are set.', ['']).action(async (options: DataOptions) => {
    show(options, await control(options, 'list', {}), ({ records, faults }) => {
      const parts = [listing(RECORD_COLUMNS, 'No records are set.')(records)];
      if (faults.length > 0) parts.push('', table(FAULT_COLUMNS, faults));
      return parts.join('\n');
    });
  });
}

function addLog(dns: Command): void {
  dataCommand(dns, 'log', 'List the latest queries to the simulator, oldest first.', ['']).action(
    async (options: DataOptions) => {
      show(options, await control(options, 'log', {}), listing(QUERY_COLUMNS, 'No queries yet.'));
    },
  );
}

async function findPlayground({ data }: DataOptions): Promise<PlaygroundFile> {
  const file = await readPlaygroundFile(data ?? DEFAULT_DATA);
  if (file === null) throw noPlayground(data);
  return file;
}

/** Sends a command to the simulator of the running playground. Throws `CliError`. */
async function control<C extends keyof ControlCommands>(
  options: DataOptions,
  command: C,
  body: ControlCommands[C],
): Promise<ControlResults[C]> {
  const { control: url, rootKey } = await findPlayground(options);
  const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/${command}`, request).catch((error: unknown) => {
    throw unreachable(error, url, startAdvice(options.data));
  });
  const result = (await response.json()) as ControlResults[C] & { message?: string };
  if (!response.ok) throw new CliError(result.message ?? `The playground returned status ${response.status}.`);
  return result;
}

/** Throws `CliError`, as bad usage, if the arguments are not a record. */
function validate({ name, type, values, ttl }: ControlCommands['set']): void {
  try {
    parseRecord(name, type, values, ttl);
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
    throw new CliError(error.message, { exitCode: EXIT.usage });
  }
}
