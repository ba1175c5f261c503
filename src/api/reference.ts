import { errorPagePath } from './errorpages.ts';
import { ERRORS, type ErrorNaming, errorCodes, type ProblemCode, STATUSES } from './errors.ts';
import { html, inline, type Markup, page, prose } from './html.ts';
import type { ApiDocument, ApiOperation, ApiResponse, JsonSchema, Reference } from './openapi.ts';

/** The reference page, made from the OpenAPI document alone. */
export function renderReference(document: ApiDocument, { service }: ErrorNaming): string {
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
${groups.map(({ name, members }) => html`<strong>${name}</strong><ul>${members.map(({ operation }) => entry(operation))}</ul>`)}
<strong>errors</strong><ul><li><a href="#errors">All errors</a></li></ul>
</nav>
<main>
${groups.map(
  ({ name, description, members }) => html`<section><h2>${capitalised(name)}</h2>${prose(description)}
${members.map(({ method, path, operation }) => section(document, method, path, operation))}</section>`,
)}
<section id="errors"><h2>Errors</h2>
${prose('An error answer is `{meta, error}`. Each error has a page that says why it happens and what to do.')}
<div class="scroll"><table><tr><th>Code<th>Status<th>Detail</tr>${errorCodes.map((code) => errorRow(code, service))}</table></div>
</section>
</main>
</div>`;
  return page(title, body);
}

function entry({ operationId }: ApiOperation): Markup {
  return html`<li><a href="#${operationId}">${operationId.replace(/^.*\./, '')}</a></li>`;
}

function section(document: ApiDocument, method: string, path: string, operation: ApiOperation): Markup {
  const { operationId, summary, description, requestBody, responses } = operation;
  const request = requestBody?.content['application/json'];
  return html`<article id="${operationId}">
<h3><code>${method} ${path}</code></h3>
<p class="lead">${summary}</p>
${prose(description)}
${request ? html`<h4>Request body</h4>${schemaTable(document, request.schema)}<pre><code>${json(request.example)}</code></pre>` : html``}
${Object.entries(responses).map(([status, response]) => answer(document, status, response))}
</article>`;
}

function answer(document: ApiDocument, status: string, described: ApiResponse | Reference): Markup {
  const response = '$ref' in described ? document.components.responses[lastPart(described.$ref)] : described;
  if (response === undefined) return html``;
  const content = response.content['application/json'];
  const heading = html`<h4><span class="status s${status.charAt(0)}">${status}</span></h4>`;
  if (content?.example === undefined) return html`${heading}${prose(response.description)}`;
  const data = resolve(document, content.schema).properties;
  const shown = isObject(data) && isObject(data.data) ? resolve(document, data.data) : {};
  const item = isObject(shown.items) ? resolve(document, shown.items) : shown;
  return html`${heading}${schemaTable(document, item)}<pre><code>${json(content.example)}</code></pre>`;
}

function schemaTable(document: ApiDocument, schema: JsonSchema): Markup {
  const { properties, required } = resolve(document, schema);
  if (!isObject(properties) || Object.keys(properties).length === 0) return html``;
  const rows = Object.entries(properties).map(([name, property]) => {
    const resolved = isObject(property) ? resolve(document, property) : {};
    const optional = Array.isArray(required) && required.includes(name) ? '' : 'optional';
    return html`<tr><td><code>${name}</code> <span class="faint">${optional}</span><td>${typeOf(document, resolved)}<td>${inline(String(resolved.description ?? ''))}</tr>`;
  });
  return html`<div class="scroll"><table><tr><th>Property<th>Type<th>Meaning</tr>${rows}</table></div>`;
}

/** A schema's type and bounds in a few words. */
function typeOf(document: ApiDocument, schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join(' | ');
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

function errorRow(code: ProblemCode, service: string): Markup {
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
