import { ERRORS, type ErrorNaming, errorCodes, type ProblemCode, STATUSES } from '../errors.ts';
import type { ApiDocument, ApiOperation, JsonSchema, Reference } from '../openapi/api-document.ts';
import { exampleName } from '../openapi/error-responses.ts';
import { errorPagePath } from './error-pages.ts';
import { html, inline, type Markup, page, prose } from './html.ts';

/** The reference page, generated from the OpenAPI document. */
export function renderReference(document: ApiDocument, naming: ErrorNaming): string {
  const operations = Object.entries(document.paths).flatMap(([path, { get, post }]) => [
    ...(get ? [{ method: 'GET', path, operation: get }] : []),
    ...(post ? [{ method: 'POST', path, operation: post }] : []),
  ]);
  const groups = document.tags.map((tag) => ({
    ...tag,
    members: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const { title, version, description } = document.info;
  const body = html`<h1>${title}</h1>
<p class="lead">Version ${version} · <a href="/openapi.json">openapi.json</a></p>
${prose(description)}
<div class="layout">
<nav aria-label="Operations">
${groups.map(({ name, members }) => html`<strong>${name}</strong><ul>${members.map(({ path }) => entry(path))}</ul>`)}
<strong>errors</strong><ul><li><a href="#errors">All errors</a></li></ul>
</nav>
<main>
${groups.map(
  ({ name, description, members }) => html`<section><h2>${capitalised(name)}</h2>${prose(description)}
${members.map(({ method, path, operation }) => section(document, method, path, operation, naming))}</section>`,
)}
<section id="errors"><h2>Errors</h2>
${prose('An error response is `{meta, error}`. Each error has a page that explains why it happens and what to do.')}
<div class="scroll"><table><tr><th>Code<th>Status<th>Detail</tr>${errorCodes.map((code) => errorRow(code, naming))}</table></div>
</section>
</main>
</div>`;
  return page(title, body);
}

function entry(path: string): Markup {
  const anchor = lastPart(path);
  return html`<li><a href="#${anchor}">${anchor.replace(/^.*\./, '')}</a></li>`;
}

function section(
  document: ApiDocument,
  method: string,
  path: string,
  operation: ApiOperation,
  naming: ErrorNaming,
): Markup {
  const { summary, description, parameters = [], requestBody } = operation;
  const request = requestBody?.content['application/json'];
  return html`<article id="${lastPart(path)}">
<h3><code>${method} ${path}</code></h3>
<p class="lead">${summary}</p>
${prose(description)}
${parameters.map((parameter) => header(document, parameter))}
${request ? html`<h4>Request body</h4>${schemaTable(document, request.schema)}<pre><code>${json(request.example)}</code></pre>` : html``}
${success(document, operation)}
<h4>Errors</h4><p>${errors(document, operation, naming)}</p>
</article>`;
}

/** A request header. */
function header({ components }: ApiDocument, { $ref }: Reference): Markup {
  const parameter = components.parameters[lastPart($ref)];
  return html`<h4>Request header <code>${parameter?.name ?? ''}</code></h4><p>${inline(parameter?.description ?? '')}</p>`;
}

/** The response: the properties of its data, and an example. */
function success(document: ApiDocument, { responses }: ApiOperation): Markup {
  const answers = Object.entries(responses).flatMap(([status, response]) => {
    const contents = response && 'content' in response ? Object.values(response.content) : [];
    return contents.flatMap((content) => (content.example === undefined ? [] : [{ status, content }]));
  });
  const parts = answers.map(({ status, content }) => {
    const { data } = propertiesOf(document, content.schema);
    const shown = data === undefined ? {} : resolve(document, data);
    const item = isObject(shown.items) ? shown.items : shown;
    return html`<h4><span class="status s${status.charAt(0)}">${status}</span></h4>${schemaTable(document, item)}<pre><code>${typeof content.example === 'string' ? content.example : json(content.example)}</code></pre>`;
  });
  return html`${parts}`;
}

/** Links to the pages of an operation's errors. */
function errors(document: ApiDocument, { responses }: ApiOperation, { service }: ErrorNaming): Markup {
  const named = Object.values(responses).flatMap((described) => {
    const response = '$ref' in described ? document.components.responses[lastPart(described.$ref)] : described;
    return Object.keys(response?.content['application/json']?.examples ?? {});
  });
  const links = errorCodes
    .filter((code) => named.includes(exampleName(code)))
    .map((code) => html`<a href="${errorPagePath(code, service)}"><code>${code}</code></a>`);
  return html`${links}`;
}

function schemaTable(document: ApiDocument, schema: JsonSchema): Markup {
  const rows = propertyRows(document, schema, '');
  if (rows.length === 0) return html``;
  return html`<div class="scroll"><table><tr><th>Property<th>Type<th>Meaning</tr>${rows}</table></div>`;
}

/** A row for each property, and for those of the objects within. */
function propertyRows(document: ApiDocument, schema: JsonSchema, prefix: string): Markup[] {
  const { required } = resolve(document, schema);
  return Object.entries(propertiesOf(document, schema)).flatMap(([name, property]) => {
    const resolved = resolve(document, property);
    const optional = Array.isArray(required) && required.includes(name) ? '' : 'optional';
    const meaning = inline(String(resolved.description ?? ''));
    const row = html`<tr><td><code>${prefix}${name}</code> <span class="faint">${optional}</span><td>${typeOf(document, resolved)}<td>${meaning}</tr>`;
    const within = isObject(resolved.items) ? propertyRows(document, resolved.items, `${prefix}${name}[].`) : [];
    return [row, ...within];
  });
}

function propertiesOf(document: ApiDocument, schema: JsonSchema): Record<string, JsonSchema> {
  const { properties } = resolve(document, schema);
  return isObject(properties) ? (properties as Record<string, JsonSchema>) : {};
}

/** A schema's type and bounds. */
function typeOf(document: ApiDocument, schema: JsonSchema): string {
  const values = schema.enum ?? schema['x-extensible-enum'];
  if (Array.isArray(values)) return values.join(' | ');
  if (isObject(schema.items)) return `array of ${typeOf(document, resolve(document, schema.items))}s`;
  const { type, minLength, maxLength, minimum, maximum } = schema;
  const least = minLength ?? minimum;
  const most = maxLength ?? maximum;
  const unit = type === 'string' ? ' characters' : '';
  if (least !== undefined && most !== undefined) return `${type}, ${least} to ${most}${unit}`;
  if (least !== undefined) return `${type}, at least ${least}${unit}`;
  return most === undefined ? String(type) : `${type}, at most ${most}${unit}`;
}

function resolve(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  return document.components.schemas[lastPart(schema.$ref)] ?? {};
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function errorRow(code: ProblemCode, { service }: ErrorNaming): Markup {
  const { status, detail } = ERRORS[code];
  return html`<tr><td><a href="${errorPagePath(code, service)}"><code>${code}</code></a><td><span class="status s${String(status).charAt(0)}">${status}</span> ${STATUSES[status].title}<td>${detail}</tr>`;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
