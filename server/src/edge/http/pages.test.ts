import { describe, expect, it } from 'vitest';
import { PAGE_NAMES, renderPage } from './pages.ts';

const context = { hostname: 'shop.example.com', requestId: 'req_1', accept: 'text/html' };

describe.each(PAGE_NAMES)('the page %s', (name) => {
  const { status, headers, body } = renderPage(name, context);

  it('says in HTML, JSON and plain text what happened, who can fix it, and which request it was', () => {
    const json = JSON.parse(renderPage(name, { ...context, accept: 'application/json' }).body);
    const plain = renderPage(name, { ...context, accept: undefined }).body;
    expect(json).toEqual({
      meta: { requestId: 'req_1' },
      error: { title: expect.any(String), detail: expect.stringMatching(/\. .*\.$/), status },
    });
    const { title, detail } = json.error;
    for (const text of [body, plain.replaceAll('\n', ' ')]) {
      for (const part of [title, 'req_1', String(status)]) expect(text).toContain(part);
    }
    expect(plain.replaceAll('\n', ' ')).toContain(detail);
  });

  it('is small and self-contained, and runs nothing in a browser', () => {
    expect(body.length).toBeLessThan(2500);
    expect(body).not.toMatch(/https?:|src=|href=|url\(|<script|@import/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });

  it('is accessible: it has a language, a title, a heading and landmarks', () => {
    for (const part of ['<html lang="en">', '<title>', '<main>', '<h1>', 'name="viewport"'])
      expect(body).toContain(part);
  });

  it('has Proxy-Status (RFC 9209), Content-Length, and Retry-After with 503', () => {
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(headers['proxy-status']).toMatch(/^nameplate; error=[a-z_]+$/);
    expect(headers['x-request-id']).toBe('req_1');
    expect(headers['retry-after'] !== undefined).toBe(status === 503);
  });

  it('shows nothing that could become markup', () => {
    const hostile = '"><script>alert(1)</script>&\'';
    const page = renderPage(name, { ...context, hostname: hostile, requestId: hostile });
    expect(page.body).not.toContain('<script');
    expect(page.body).toContain('&lt;script&gt;');
  });

  it('works without a host name', () => {
    expect(renderPage(name, { ...context, hostname: null }).body).not.toMatch(/null|undefined|\{host\}/);
  });
});

describe.each(PAGE_NAMES)('the page %s in a brand', (name) => {
  const hostile = '"><script>alert(1)</script>{host}$&';

  it('shows nothing of the brand that could become markup, in any form', () => {
    const brand = { name: hostile, logo: hostile, accent: hostile, accentDark: 'red}*{', support: hostile };
    const { body } = renderPage(name, { ...context, brand });
    expect(body).not.toMatch(/<script|\{\*|red\}/);
    expect(body.match(/<style>[^<]*<\/style>/)).not.toBe(null);
    expect(JSON.parse(renderPage(name, { ...context, brand, accept: 'application/json' }).body)).toBeTruthy();
  });

  it('can be read whatever the colour of the brand: no text is in it', () => {
    const brand = { name: 'Acme', accent: '#ffffff', support: 'https://help.example.net/' };
    expect(renderPage(name, { ...context, brand }).body).not.toMatch(/[{;]color:var\(--accent/);
  });

  it('may load its logo as data, and nothing else', () => {
    const logo = 'data:image/png;base64,iVBORw0KGgo=';
    const accent = '#1d5fd1';
    const { body, headers } = renderPage(name, { ...context, brand: { name: 'Acme', logo, accent } });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; img-src data:",
    );
    for (const part of [`<img src="${logo}" alt="">`, '<span>Acme</span>', ':root{--accent:#1d5fd1}'])
      expect(body).toContain(part);
    expect(body).not.toContain('the service that hosts it');
  });
});

describe('the form of a page', () => {
  it.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['*/*', 'text/plain'],
    [undefined, 'text/plain'],
    ['', 'text/plain'],
    ['application/json', 'application/json'],
    ['application/json, text/html;q=0.9', 'application/json'],
    ['application/json;q=0.1, text/html', 'text/html'],
    ['text/html;q=0, application/json', 'application/json'],
    ['text/*', 'text/html'],
    ['image/avif,image/webp', 'text/plain'],
    ['application/*', 'application/json'],
    ['text/html;level=1;q=0.4, application/json;q=0.5', 'application/json'],
    ['TEXT/HTML', 'text/html'],
    [';;;,,,q=,text', 'text/plain'],
    [`${'a/b,'.repeat(10_000)}text/html`, 'text/plain'],
  ])('for "%s" is %s', (accept, type) => {
    const { headers } = renderPage('origin_down', { ...context, accept });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
  });
});
