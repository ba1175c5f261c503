import { errorCodes } from '../../server/src/api/errors.ts';
import type { ApiOperation, JsonSchema } from '../../server/src/api/openapi/api-document.ts';
import { openApiDocument } from '../../server/src/api/openapi/openapi.ts';
import { DEFAULT_RATE_LIMITS } from '../../server/src/api/operations.ts';
import { escaped } from './errors.ts';
import type { Recorded } from './recorder.ts';

const GENERATED = '<!-- Generated from the operations in server/src/api/ by "npm run generate". Do not edit. -->';
/** Characters of a value that fit beside its call without scrolling. */
const LONGEST_LINE = 50;
const LONGEST_TEXT = 60;
/** Only these show the records of a domain, so that a page has them once. */
const WITH_RECORDS = new Set(['domains.createDomain', 'domains.getDomain']);

const document = openApiDocument();
const { schemas } = document.components;

/** Operations as they are in the document, with their path and method. */
const operations = Object.entries(document.paths).flatMap(([path, { get, post }]) => [
  ...(get ? [{ path, method: 'GET', operation: get }] : []),
  ...(post ? [{ path, method: 'POST', operation: post }] : []),
]);

/** Error codes that every operation with a key may have. */
const common = new Set(
  errorCodes.filter((code) =>
    operations.every(({ operation }) => operation.security.length === 0 || operation['x-error-codes']?.includes(code)),
  ),
);

/** The pages of the API's reference, by their paths in docs/reference/. */
export function renderApi(recorded: ReadonlyMap<string, Recorded>): Map<string, string> {
  const groups = document.tags.map(({ name, description }) => {
    const members = operations.filter(({ operation }) => operation.tags.includes(name));
    const sections = members.flatMap((member) => renderOperation(member, recorded));
    return {
      name,
      description,
      members,
      text: [`# ${capitalised(name)}`, '', GENERATED, '', description, '', ...sections].join('\n'),
    };
  });
  return new Map([
    ...groups.map(({ name, text }) => [`operations/${name}.md`, text] as const),
    ['operations/README.md', renderConventions(groups, recorded)],
    ['operations/objects.md', renderObjects()],
    ['events.md', renderEvents()],
    ['limits.md', renderLimits()],
  ]);
}

interface Group {
  name: string;
  description: string;
  members: typeof operations;
}

function renderConventions(groups: readonly Group[], recorded: ReadonlyMap<string, Recorded>): string {
  const others = operations.map(({ path }) => nameOf(path)).filter((name) => name.includes('.') && !recorded.has(name));
  return [
    '# Conventions and operations',
    '',
    GENERATED,
    '',
    document.info.description,
    '',
    'Send a root key in `Authorization: Bearer <ROOT_KEY>`. [Permissions](../permissions.md) lists what a key can be allowed to do.',
    '[Objects](objects.md) describes the objects in responses, and [openapi.json](../../../openapi.json) is the whole API for programs.',
    '',
    'The requests and responses on these pages were recorded from a real server. Secrets are shortened. Only',
    '[`domains.createDomain`](domains.md#domainscreatedomain) and [`domains.getDomain`](domains.md#domainsgetdomain) show the records of a domain.',
    `The examples of these operations are not recorded: ${others.map((name) => `\`${name}\``).join(', ')}.`,
    '',
    '## Errors of every operation',
    '',
    ...[...common].map((code) => `- ${errorLink(code)}`),
    '',
    '## Operations',
    '',
    ...groups.flatMap(({ name, description, members }) => [
      `### [${capitalised(name)}](${name}.md)`,
      '',
      description,
      '',
      '| Operation | Purpose |',
      '|---|---|',
      ...members.map(({ path, operation }) => {
        const title = nameOf(path);
        return `| [\`${title}\`](${name}.md#${anchor(title)}) | ${operation.summary} |`;
      }),
      '',
    ]),
  ].join('\n');
}

function renderOperation(
  { path, method, operation }: (typeof operations)[number],
  recorded: ReadonlyMap<string, Recorded>,
): string[] {
  const name = nameOf(path);
  const { summary, description, requestBody, responses } = operation;
  const content = requestBody?.content['application/json'];
  const call = recorded.get(name);
  const input = call?.input ?? content?.example;
  const [response] = Object.values(responses).flatMap((each) => ('content' in each ? Object.values(each.content) : []));
  const recordedBody = call?.response ?? response?.example;
  const body = WITH_RECORDS.has(name) ? recordedBody : withoutRecords(recordedBody);
  const isOpen = operation.security.length === 0;
  return [
    `## ${name}`,
    '',
    `${repeats(summary, description) ? '' : `${summary}. `}${escaped(description)}`,
    '',
    '```sh',
    ...(method === 'GET' ? [`curl https://api.your-platform.com${path}`] : curl(path, input, isOpen)),
    '```',
    '',
    ...(method === 'GET' ? [] : ['```ts', `await client.${name}(${literal(input)});`, '```', '']),
    ...(content === undefined ? [] : table('Request', propertyRows(content.schema))),
    ...(response === undefined ? [] : ['Response:', '']),
    ...(typeof body === 'string' ? ['```text', body.trim(), '```', ''] : ['```json', json(body), '```', '']),
    ...(response === undefined ? [] : responseText(response.schema)),
    ...ownErrors(operation),
  ];
}

/** Whether the description begins with the verb of the summary, and so says all of it. */
function repeats(summary: string, description: string): boolean {
  const [verb] = summary.split(' ');
  return new RegExp(`^(${verb}(s|es)|Retrieves) `).test(description);
}

function curl(path: string, input: unknown, isOpen: boolean): string[] {
  const key = isOpen ? '' : '-H "Authorization: Bearer $ROOT_KEY" ';
  return [
    `curl https://api.your-platform.com${path} \\`,
    `  ${key}-H 'Content-Type: application/json' \\`,
    `  -d '${oneLineIfShort(json(input))}'`,
  ];
}

function responseText(schema: JsonSchema): string[] {
  const { data } = propertiesOf(schema);
  if (data === undefined) return [];
  const linked = typeLink(data);
  if (linked.includes(']('))
    return [
      `\`data\` is ${linked.startsWith('list') ? 'a' : 'an object'} ${linked.startsWith('list') ? linked : `of the type ${linked}`}.`,
      '',
    ];
  return table('Response', propertyRows(data));
}

function ownErrors({ 'x-error-codes': codes = [] }: ApiOperation): string[] {
  const own = codes.filter((code) => !common.has(code as never));
  if (own.length === 0) return [];
  return [
    `Errors, besides [those of every operation](README.md#errors-of-every-operation): ${own.map(errorLink).join(', ')}.`,
    '',
  ];
}

function renderObjects(): string {
  const objects = Object.entries(schemas).filter(
    ([name, { properties }]) => properties !== undefined && !name.endsWith('Response') && !isEvent(properties),
  );
  return [
    '# Objects',
    '',
    GENERATED,
    '',
    'These objects appear in responses and events. Properties without a value are absent.',
    '',
    ...objects.flatMap(([name, schema]) => [`## ${name}`, '', ...table('Property', propertyRows(schema))]),
  ].join('\n');
}

function isEvent(properties: unknown): boolean {
  return (properties as Record<string, JsonSchema>).type?.const !== undefined;
}

function renderEvents(): string {
  const { description } = document.webhooks.event?.post ?? {};
  const events = Object.entries(schemas).flatMap(([name, schema]) => {
    const { type, data } = propertiesOf(schema);
    return name.endsWith('Event') && typeof type?.const === 'string' && data
      ? [{ type: type.const, about: schema.description, data }]
      : [];
  });
  return [
    '# Events',
    '',
    GENERATED,
    '',
    description ?? '',
    '',
    'Every event has a `type`, a `timestamp` and `data`. [Webhooks](../guides/webhooks.md) explains how to receive events, what triggers each type,',
    'and what its body looks like. The events of a stream (`domains.watchDomain`) are different: see [Follow a domain](../guides/watching.md).',
    '',
    '| Type | Object in `data` |',
    '|---|---|',
    ...events.map(({ type, data }) => `| \`${type}\` | ${typeLink(data).replace('(', '(operations/')} |`),
    '',
  ].join('\n');
}

function renderLimits(): string {
  return [
    '# Limits',
    '',
    GENERATED,
    '',
    'The tables of each [operation](operations/README.md) give the limits of its inputs. These pages give the other limits:',
    '',
    '- [CA limits](../guides/certificates.md#ca-limits): how many certificates a CA issues in a given time.',
    '- [Limits of the edge](../guides/edge.md#limits): connections, headers, bodies and timeouts, towards visitors and origins.',
    '- [Limits against attacks](../guides/security.md#limits): requests, connections and names of one client or customer.',
    '- [Limits of set-up pages](../guides/setup-page.md#limits): links, sessions and checks of a customer.',
    '- [Limits of streams](../guides/watching.md#limits): open streams of a workspace and a key.',
    '- [Limits of webhooks](../guides/webhooks.md#limits): webhooks of a workspace, and attempts and timeouts of deliveries.',
    '- [Scale](../guides/scale.md): how much load one process and one database can take.',
    '',
    '## Requests of a workspace',
    '',
    'Requests are limited per workspace and operation. These operations have a default limit; all others have none. To change a limit, set',
    '[`NAMEPLATE_RATE_LIMITS`](configuration.md#nameplate_rate_limits) for all workspaces, or run `nameplate workspaces limits` for one.',
    '',
    '| Operation | Requests | Window |',
    '|---|---|---|',
    ...Object.entries(DEFAULT_RATE_LIMITS).map(
      ([name, { limit, windowMs }]) =>
        `| [\`${name}\`](operations/${name.replace(/\..*/, '')}.md#${anchor(name)}) | ${limit} | ${windowMs / 1000} s |`,
    ),
    '',
  ].join('\n');
}

function table(title: string, rows: readonly string[]): string[] {
  return rows.length === 0 ? [] : [`| ${title} | Type | Meaning |`, '|---|---|---|', ...rows, ''];
}

/** A row for each property, and for those of unnamed objects within. */
function propertyRows(schema: JsonSchema, prefix = ''): string[] {
  const { required } = resolve(schema);
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const optional = Array.isArray(required) && required.includes(name) ? '' : ', optional';
    const meaning = escaped(String(property.description ?? resolve(property).description ?? ''))
      .replace(/\s+/g, ' ')
      .replaceAll('|', '\\|');
    const link = typeLink(property);
    const within = link.includes('](')
      ? []
      : propertyRows(itemsOf(property), `${prefix}${name}${isList(property) ? '[]' : ''}.`);
    return [`| \`${prefix}${name}\` | ${link}${optional} | ${meaning} |`, ...within];
  });
}

/** The type of a schema with its bounds, and a link to the object that it names. */
function typeLink(schema: JsonSchema): string {
  if (isList(schema)) return `list of ${typeLink(schema.items as JsonSchema)}`;
  const name = typeof schema.$ref === 'string' ? lastPart(schema.$ref) : undefined;
  const resolved = resolve(schema);
  if (name !== undefined && resolved.properties !== undefined) return `[${name}](objects.md#${name.toLowerCase()})`;
  const values = resolved.enum ?? resolved['x-extensible-enum'];
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(', ');
  if (isList(resolved)) return typeLink(resolved);
  if (Array.isArray(resolved.oneOf)) return resolved.oneOf.map((each) => typeLink(each as JsonSchema)).join(' or ');
  const { type = 'any value', minLength, maxLength, minimum, maximum } = resolved;
  const unit = type === 'string' ? ' characters' : '';
  const bounds = boundsOf(minLength ?? minimum, maxLength ?? maximum);
  return [Array.isArray(type) ? type.join(' or ') : String(type), ...(bounds === '' ? [] : [bounds + unit])].join(', ');
}

function boundsOf(least: unknown, most: unknown): string {
  if (least !== undefined && most !== undefined) return least === most ? String(least) : `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? '' : `at most ${most}`;
}

function isList(schema: JsonSchema): boolean {
  return typeof schema.items === 'object' && schema.items !== null;
}

function itemsOf(schema: JsonSchema): JsonSchema {
  return isList(schema) ? (schema.items as JsonSchema) : schema;
}

function resolve(schema: JsonSchema): JsonSchema {
  return typeof schema.$ref === 'string' ? (schemas[lastPart(schema.$ref)] ?? {}) : schema;
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (resolve(schema).properties ?? {}) as Record<string, JsonSchema>;
}

function nameOf(path: string): string {
  return lastPart(path);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function errorLink(code: string): string {
  return `[\`${code}\`](../errors.md#${code.replace('/', '')})`;
}

function anchor(name: string): string {
  return name.replaceAll('.', '').toLowerCase();
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** As a program would write it. */
function literal(value: unknown): string {
  const text = json(value)
    .replace(/"(\w+)":/g, '$1:')
    .replace(/"([^"'\\]*)"/g, "'$1'");
  return oneLineIfShort(text);
}

function oneLineIfShort(text: string): string {
  const line = text.replace(/\n\s*/g, ' ');
  return line.length <= LONGEST_LINE ? line : text;
}

function json(value: unknown): string {
  return JSON.stringify(shortened(value), null, 2);
}

/** With the records of each domain left out, also in the events of a stream. */
function withoutRecords(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/"dnsRecords":\[\{.*?\}\]/g, '"dnsRecords":["…"]');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutRecords);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'dnsRecords' ? ['…'] : withoutRecords(each)]),
  );
}

/** Without secrets, and without tokens that no reader reads. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    const isSecret =
      /^(np_|nps_|whsec_|eyJ|-----)/.test(value) || (value.length > LONGEST_TEXT && !value.includes(' '));
    return isSecret ? `${value.slice(0, 8)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}
