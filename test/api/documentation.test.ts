import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRead, takesKey } from '../../client/operation-kinds.ts';
import { renderErrors } from '../../server/src/api/docs/error-pages.ts';
import { html, prose } from '../../server/src/api/docs/html.ts';
import { getCertificate } from '../../server/src/api/domains/getCertificate.ts';
import { ERRORS, errorCodes, Problem } from '../../server/src/api/errors.ts';
import type { ApiContent, JsonSchema } from '../../server/src/api/openapi/api-document.ts';
import { API_VERSION, openApiDocument } from '../../server/src/api/openapi/openapi.ts';
import { isStream, madeOnceBy } from '../../server/src/api/operation.ts';
import { operations } from '../../server/src/api/operations.ts';
import { FINDING_CODES } from '../../server/src/domain/finding.ts';
import { FINDING_TEXTS } from '../../server/src/domain/findings/finding-texts.ts';
import { type Answer, document, judge } from '../support/api-contract.ts';
import { type Harness, startApi } from '../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi({ settings: { service: 'acme' } });
});
afterAll(() => api.close());

const get = (path: string) => api.send({ method: 'GET', path, key: null });
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('findings', () => {
  it('have a page for every code, with what it means, how it happens and what to do', async () => {
    for (const code of FINDING_CODES) {
      const { status, text } = await get(`/docs/findings/${code}`);
      expect(status).toBe(200);
      for (const heading of ['What it means', 'How it happens', 'What to do']) expect(text).toContain(heading);
      expect(text).not.toContain('`');
      if (text.includes('<code>dnsRecords</code>'))
        expect(text).toContain('The records that the service asks you to publish');
    }
  });

  it('have titles that fit into a message', () => {
    for (const code of FINDING_CODES) expect(FINDING_TEXTS[code].title).toMatch(/^.{1,99}\.$/);
  });
});

describe('openapi.json', () => {
  it('is served as it is committed, without a key, with the URL of the server', async () => {
    const url = 'https://api.platform.test';
    expect(JSON.parse((await get('/openapi.json')).text)).toEqual({
      ...document,
      servers: [{ url, description: expect.any(String) }],
    });
    const local = await startApi({ settings: { publicUrl: undefined } });
    expect((await local.send({ method: 'GET', path: '/openapi.json', key: null })).text).toBe(
      committed('openapi.json'),
    );
    await local.close();
    expect(document.servers.map((server) => new URL(server.url).protocol)).toEqual(['https:']);
  });

  it('matches the code, each time it is generated', () => {
    expect(openApiDocument()).toEqual(document);
    expect(JSON.stringify(openApiDocument())).toBe(JSON.stringify(openApiDocument()));
  });

  it('is OpenAPI 3.1 of the API version 2.0.0, whose major version is part of the path', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '2.0.0' } });
    expect(API_VERSION).toBe('2.0.0');
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^\/(v2\/|healthz$|readyz$)/);
  });

  it('has every operation, as a POST that needs a root key, with all its responses', () => {
    for (const operation of operations) {
      const { name, status, problems, sessions } = operation;
      const { post } = document.paths[`/v2/${name}`] ?? {};
      expect(`${post?.tags[0]}.${post?.operationId}`).toBe(name);
      expect(post?.security).toEqual([{ rootKey: [] }, ...(sessions ? [{ setupSession: [] }] : [])]);
      const creating = madeOnceBy(operation) === undefined ? [] : [409, 422];
      const own = [...creating, ...problems.map((code) => new Problem(code).status)];
      const promised = [400, 401, 403, 413, 429, 500, status, ...own];
      expect(Object.keys(post?.responses ?? {})).toEqual([...new Set(promised)].sort().map(String));
    }
  });

  it('has operationIds without dots, which no two operations share, whatever their group', () => {
    const ids = Object.values({ ...document.paths, ...document.webhooks }).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.filter((id, at) => !/^[a-z][A-Za-z]+$/.test(id) || ids.indexOf(id) !== at)).toEqual([]);
  });

  it('says of every operation whether it may be repeated, and of every list how its pages follow', () => {
    for (const operation of operations) {
      const { post } = document.paths[`/v2/${operation.name}`] ?? {};
      const isRepeatable = isRead(operation.name) || takesKey(operation.name);
      const statusCodes = isRepeatable ? ['429', '5XX'] : ['429'];
      expect(post?.['x-retries']).toEqual({ statusCodes, connectionErrors: isRepeatable });
      expect(post?.['x-idempotency']?.header).toBe(takesKey(operation.name) ? 'Idempotency-Key' : undefined);
      const isList = !isStream(operation) && operation.example.result.pagination !== undefined;
      expect(post?.['x-pagination'] !== undefined).toBe(isList);
    }
  });

  it('has requests that are closed, with every object and every enum within', () => {
    const parts = Object.values(document.paths).flatMap(({ post }) => partsOf(post?.requestBody?.content));
    expect(parts.length).toBeGreaterThan(operations.length);
    expect(parts.filter(({ schema }) => isOpen(schema)).map(({ place }) => place)).toEqual([]);
  });

  it('names no schema but the Domain of the specification like one of its properties: generators may mix them up', () => {
    const schemas = Object.entries(document.components.schemas as Record<string, { properties?: object }>);
    const snake = (text: string) => text.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
    const named = schemas.filter(([title, { properties = {} }]) =>
      Object.keys(properties).map(snake).includes(snake(title)),
    );
    expect(named.map(([title]) => title)).toEqual(['Domain']);
  });

  it('has responses and events that are open, with every enum within, but for the objects of the specification', () => {
    const { responses } = document.components;
    const described = [
      ...Object.values(document.paths).flatMap(({ get, post }) => Object.values((get ?? post)?.responses ?? {})),
      ...Object.values(responses),
    ];
    const contents = described.map((response) => ('content' in response ? response.content : undefined));
    const parts = [...contents, document.webhooks.event?.post.requestBody?.content].flatMap(partsOf);
    const shut = parts.filter(({ schema }) => !isOpen(schema)).map(({ place }) => place);
    const envelope = /^[A-Za-z]+Response(\.error)?$/;
    expect(new Set(shut.filter((place) => !envelope.test(place)))).toEqual(
      new Set(['Meta', 'Pagination', 'ValidationError', 'Domain', 'Domain.status', 'DnsRecord', 'DnsRecord.type']),
    );
    expect(parts.filter(({ place, schema }) => envelope.test(place) && isOpen(schema))).toEqual([]);
    expect(parts.length - shut.length).toBeGreaterThan(100);
  });

  it('has every property and value that the server sends: the tests bear no other, as clients have to', () => {
    const answer = (change: object): Answer => {
      const body = {
        meta: { requestId: 'req_1' },
        data: { ...(getCertificate.example.result.data as object), ...change },
      };
      const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'req_1' };
      return { status: 200, headers, text: JSON.stringify(body), body };
    };
    const judged = (change: object) => judge('POST', '/v2/domains.getCertificate', answer(change));
    expect(judged({}).status).toBe(200);
    expect(() => judged({ colour: 'red' })).toThrow('must NOT have additional properties');
    expect(() => judged({ state: 'painted' })).toThrow('must be equal to one of the allowed values');
  });

  it('has patterns that mean the same with and without the "u" flag, which many tools do not set', () => {
    const patterns = new Set<string>();
    JSON.stringify(document, (key, value) => {
      if (key === 'pattern' && typeof value === 'string') patterns.add(value);
      return value;
    });
    const texts = [
      'Cups',
      'p{Cc}',
      'Café 🏪',
      '🏪',
      'https://a.example',
      'a\u0000',
      '\u007f',
      '\u0085',
      '\ud83c',
      'x\udfeay',
    ];
    for (const pattern of patterns) {
      // Not every language knows these.
      expect(pattern).not.toMatch(/\\[pP]\{|\\u\{/);
      for (const text of texts) {
        expect(new RegExp(pattern).test(text), `${pattern} of ${JSON.stringify(text)}`).toBe(
          new RegExp(pattern, 'u').test(text),
        );
      }
    }
    expect(patterns.size).toBeGreaterThan(5);
  });

  it.each([true, false])(
    'has only examples that fulfil their schemas, with the "u" flag or without (%s)',
    (unicodeRegExp) => {
      const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int64: true }, unicodeRegExp });
      ajv.addSchema(document, 'openapi');
      let tried = 0;
      const visit = (node: unknown, pointer: string): void => {
        if (typeof node !== 'object' || node === null) return;
        for (const example of isContent(node) ? examplesOf(node) : []) {
          const validate = ajv.compile({ $ref: `openapi#${pointer}/schema` });
          expect(validate(example), `${pointer}: ${ajv.errorsText(validate.errors)}`).toBe(true);
          tried += 1;
        }
        for (const [key, child] of Object.entries(node)) visit(child, `${pointer}/${key.replaceAll('/', '~1')}`);
      };
      visit(document, '');
      expect(tried).toBeGreaterThan(2 * operations.length);
    },
  );
});

/** An object or an enum of a schema. `place`: its component, and the properties that lead to it from there. */
interface Part {
  place: string;
  schema: JsonSchema;
}

/** The objects and enums of a body, with those of the components that it refers to. */
function partsOf(content: Record<string, ApiContent> | undefined): Part[] {
  return Object.values(content ?? {}).flatMap(({ schema }) => partsWithin(schema, 'body'));
}

function partsWithin(schema: JsonSchema, place: string): Part[] {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return partsWithin(document.components.schemas[name] ?? {}, name);
  }
  const isPart = 'properties' in schema || 'enum' in schema || 'x-extensible-enum' in schema;
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const members = [schema.items, ...((schema.oneOf ?? []) as JsonSchema[])] as (JsonSchema | undefined)[];
  return [
    ...(isPart ? [{ place, schema }] : []),
    ...properties.flatMap(([name, property]) => partsWithin(property, `${place}.${name}`)),
    ...members.flatMap((member) => (member === undefined ? [] : partsWithin(member, place))),
  ];
}

/** Whether a later release may add properties to the object, or values to the enum. */
function isOpen(schema: JsonSchema): boolean {
  return 'properties' in schema ? schema.additionalProperties !== false : !('enum' in schema);
}

function isContent(node: object): node is ApiContent {
  return 'schema' in node && ('example' in node || 'examples' in node);
}

/** The examples of a media type, references followed. */
function examplesOf(content: ApiContent): unknown[] {
  const named = Object.values(content.examples ?? {}).map(({ $ref }) => {
    const name = $ref.replace('#/components/examples/', '');
    return document.components.examples[name]?.value;
  });
  return 'example' in content ? [content.example, ...named] : named;
}

describe('the error pages', () => {
  it.each(errorCodes)('have one of %s: what happened, why, what to do, and an example', async (code) => {
    const answer = await get(`/docs/errors/acme/${code}`);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const { detail, why, fix, status } = ERRORS[code];
    const text = plain(answer.text);
    for (const part of [detail, why, fix, `"status": ${status}`, `err:acme:${code.replace('/', ':')}`])
      expect(text).toContain(part);
  });

  it('are all in docs/errors.md', () => {
    expect(renderErrors()).toBe(committed('docs/errors.md'));
    for (const code of errorCodes) expect(renderErrors()).toContain(`## ${code}`);
  });
});

/** The text that a reader sees. */
function plain(page: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return page.replace(/<[^>]*>/g, '').replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? '?');
}

describe('the reference page', () => {
  it('shows every operation and every error, and links to every error page', async () => {
    const { text } = await get('/docs');
    for (const { name, summary } of operations) {
      expect(text).toContain(`id="${name}"`);
      expect(plain(text)).toContain(summary);
    }
    for (const code of errorCodes) expect(text).toContain(`href="/docs/errors/acme/${code}"`);
  });

  it('loads nothing from anywhere and runs nothing', async () => {
    const { text, headers } = await get('/docs');
    expect(text).not.toMatch(
      /<script|<link|<img|<iframe|https?:\/\/(?!origin\.example\.com|hooks\.example\.com|(?:api|app)\.example\.net|connect\.dns\.example|acme-v02\.api\.letsencrypt\.org)|\son\w+=/i,
    );
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('has no link that leads nowhere', async () => {
    const { text } = await get('/docs');
    const paths = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    for (const href of new Set(paths)) {
      if (href.startsWith('#')) expect(text).toContain(`id="${href.slice(1)}"`);
      else expect(await get(href)).toMatchObject({ status: 200 });
    }
  });
});

describe('markup', () => {
  it('escapes whatever is put into it, once', () => {
    const evil = `<script>alert("a" & 'b')</script>`;
    expect(html`<p title="${evil}">${evil}</p>`.markup).toBe(
      '<p title="&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;">&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;</p>',
    );
    expect(html`<ul>${[html`<li>${'<'}</li>`]}</ul>`.markup).toBe('<ul><li>&lt;</li></ul>');
    expect(prose('a `<b>` c').markup).toBe('<p>a <code>&lt;b&gt;</code> c</p>');
  });
});
