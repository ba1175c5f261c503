import type { ApiDocument, ApiOperation, JsonSchema } from '../server/src/api/openapi/api-document.ts';

/**
 * The types of the client's calls and of what they exchange, from the OpenAPI document; docs/internals/decisions/0037-client.md.
 * Throws where a schema has a form that is not known here.
 */
export function renderClientTypes({ paths, components }: ApiDocument): string {
  const operations = Object.values(paths).flatMap(({ post }) => (post !== undefined && isCall(post) ? [post] : []));
  const groups = Map.groupBy(operations, ({ tags }) => tags[0]);
  const calls = [...groups].map(
    ([group, each]) => `  ${group}: {\n${each.map((call) => renderCall(call, components.schemas)).join('\n')}\n  };\n`,
  );
  const shapes = Object.entries(components.schemas).filter(([name]) => !OTHERS.test(name));
  return [
    '// Generated from the OpenAPI document by "npm run generate".',
    "import type { CallOptions, CreationOptions, Page } from './call-types.ts';\n",
    '/** Every operation but `domains.watchDomain`, which is a stream. */',
    `export interface ApiCalls {\n${calls.join('')}}\n`,
    `export const OPERATIONS: readonly string[] = [\n${operations.map(({ tags, operationId }) => `  '${tags[0]}.${operationId}',\n`).join('')}];\n`,
    ...shapes.map(([name, schema]) => `${comment(schema, '')}${declared(name, schema)}\n`),
    `export type {\n${shapes.map(([name]) => `  ${name},\n`).join('')}};\n`,
  ].join('\n');
}

function declared(name: string, schema: JsonSchema): string {
  return schema.type === 'object' ? `interface ${name} ${typeOf(schema, '')}` : `type ${name} = ${typeOf(schema, '')};`;
}

/** The client has envelopes, errors and pages in a form of its own. */
const OTHERS = /Response$|^Meta$|^Pagination$/;

const JSON_TYPE = 'application/json';

function isCall(operation: ApiOperation): boolean {
  return resultOf(operation) !== undefined;
}

/** Schema of the response, envelope included. */
function resultOf({ responses }: ApiOperation): JsonSchema | undefined {
  const success = responses['200'] ?? responses['202'];
  return success !== undefined && 'content' in success ? success.content[JSON_TYPE]?.schema : undefined;
}

type Schemas = ApiDocument['components']['schemas'];

function renderCall(operation: ApiOperation, schemas: Schemas): string {
  const { operationId, summary, description, requestBody, parameters = [] } = operation;
  const input = typeOf(requestBody?.content[JSON_TYPE]?.schema ?? {}, '    ', ' | undefined');
  const isCreation = parameters.some(({ $ref }) => $ref.endsWith('/Idempotency-Key'));
  const options = isCreation ? 'CreationOptions' : 'CallOptions';
  const text = comment({ description: `${summary}. ${description.replaceAll('\n\n', ' ')}` }, '    ');
  return `${text}    ${operationId}(input: ${input}, options?: ${options}): Promise<${returned(operation, schemas)}>;`;
}

function returned(operation: ApiOperation, schemas: Schemas): string {
  const envelope = schemas[nameIn(resultOf(operation) ?? {})];
  const { data, pagination } = (envelope?.properties ?? {}) as Record<string, JsonSchema>;
  if (data === undefined) throw new Error(`${operation.operationId} returns no data`);
  if (pagination !== undefined) return `Page<${typeOf(data.items as JsonSchema, '    ')}>`;
  return isEmpty(data) ? 'void' : typeOf(data, '    ');
}

function isEmpty({ type, properties = {} }: JsonSchema): boolean {
  return type === 'object' && Object.keys(properties as object).length === 0;
}

/** `absent`: the type that a property may have when it is left out. */
function typeOf(schema: JsonSchema, indent: string, absent = ''): string {
  if (schema.$ref !== undefined) return nameIn(schema);
  if (Object.keys(schema).length === 0) return 'unknown';
  if (schema.const !== undefined) return unionOf([schema.const]);
  if (Array.isArray(schema.enum)) return unionOf(schema.enum);
  if (Array.isArray(schema.oneOf)) return schema.oneOf.map(nameIn).join(' | ');
  // Editors suggest the known values, and the compiler takes others.
  const known = schema['x-extensible-enum'];
  if (Array.isArray(known)) return `${unionOf(known)} | (${schema.type === 'string' ? 'string' : 'number'} & {})`;
  if (Array.isArray(schema.type)) {
    return schema.type
      .map((type) => (type === 'null' ? type : typeOf({ ...schema, type }, indent, absent)))
      .join(' | ');
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${typeOf(schema.items as JsonSchema, indent, absent)}>`;
    case 'object':
      return objectType(schema, indent, absent);
    default:
      throw new Error(`the client has no type for ${JSON.stringify(schema)}`);
  }
}

/** Name of the schema that is referred to. */
function nameIn({ $ref }: JsonSchema): string {
  return String($ref).split('/').at(-1) ?? '';
}

function unionOf(values: unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' | ');
}

function objectType(schema: JsonSchema, indent: string, absent: string): string {
  const values = schema.additionalProperties;
  if (typeof values === 'object') return `Record<string, ${typeOf(values as JsonSchema, indent)}>`;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return 'Record<string, never>';
  const required = new Set(schema.required as string[] | undefined);
  const inner = `${indent}  `;
  const lines = properties.map(([name, each]) => {
    const type = typeOf(each, inner, absent);
    const property = required.has(name) ? `${name}: ${type}` : `${name}?: ${type}${absent}`;
    return `${comment(each, inner)}${inner}${property};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function comment({ description }: JsonSchema, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : '';
}
