import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startApi } from '../../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const set = (page: object) => api.call('setup.setBrand', page);
const get = async () => (await api.call('setup.getBrand')).body.data;

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const svg = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
const jpegOf = (bytes: number) => {
  const image = Buffer.alloc(bytes);
  image.set([0xff, 0xd8, 0xff]);
  return `data:image/jpeg;base64,${image.toString('base64')}`;
};

describe('the brand of a workspace', () => {
  it('is replaced by what is set; properties that are not given stay', async () => {
    const brand = {
      name: 'Äcme “Shops” <b>&amp; 🛍️',
      logo: PNG,
      accent: '#1d5fd1',
      accentDark: '#7FB0FF',
      support: 'mailto:help@acme.com?subject=Domain',
    };
    expect(await get()).toEqual({ brand: {}, origins: [] });
    expect((await set({ brand })).body.data).toEqual({ brand, origins: [] });
    expect((await set({ origins: ['https://app.acme.com'] })).body.data).toEqual({
      brand,
      origins: ['https://app.acme.com'],
    });
    expect((await set({ brand: { name: 'Acme' } })).body.data).toMatchObject({ brand: { name: 'Acme' } });
    expect(await get()).toEqual({ brand: { name: 'Acme' }, origins: ['https://app.acme.com'] });
  });

  it.each([
    ['name', 'A'.repeat(80)],
    ['logo', PNG],
    ['logo', svg('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['logo', jpegOf(65_536)],
    ['support', 'https://acme.com/help?from=nameplate#domains'],
  ])('takes as %s %.60s', async (property, value) => {
    expect(await set({ brand: { [property]: value } })).toMatchObject({ status: 200 });
  });

  it.each([
    ['name', ' '],
    ['name', 'A'.repeat(81)],
    ['name', 'Ac\u0000me'],
    ['name', 'Ac\u202eme'],
    ['name', '\ud800'],
    ['accent', 'red'],
    ['accent', '#12345'],
    ['accent', '#1234567'],
    ['accent', '#12345g'],
    ['accentDark', 'url(x)'],
    ['accentDark', '#fff;}'],
    ['support', 'javascript:alert(1)'],
    ['support', 'JAVASCRIPT:alert(1)//@x'],
    ['support', ' https://acme.com'],
    ['support', 'data:text/html,<script>alert(1)</script>'],
    ['support', 'http://acme.com'],
    ['support', 'https:acme.com'],
    ['support', 'https://ada:secret@acme.com'],
    ['support', 'https://acme.com/"><script>'],
    ['support', 'mailto:nobody'],
    ['support', 'mailto:'],
    ['support', `https://acme.com/${'a'.repeat(512)}`],
    ['logo', 'https://acme.com/logo.png'],
    ['logo', 'data:image/png,x'],
    ['logo', 'data:text/html;base64,PHNjcmlwdD4='],
    ['logo', 'data:image/gif;base64,R0lGODlhAQABAAAAACw='],
    ['logo', PNG.replace('image/png', 'image/jpeg')],
    ['logo', `${PNG}"`],
    ['logo', PNG.slice(0, -1)],
    ['logo', svg('just text')],
    ['logo', svg('<html><script>alert(1)</script></html>')],
    ['logo', 'data:image/svg+xml;base64,/////w=='],
    ['logo', jpegOf(65_537)],
  ])('refuses as %s %.60j, and says so', async (property, value) => {
    const before = await get();
    const { status, body } = await set({ brand: { [property]: value } });
    expect(status).toBe(400);
    expect(body.error?.errors).toEqual([expect.objectContaining({ location: `body.brand.${property}` })]);
    expect(await get()).toEqual(before);
  });

  it.each(['https://app.acme.com', 'https://app.acme.com:8443', 'http://localhost:3000', 'http://[::1]:3000'])(
    'takes the origin %s',
    async (origin) => {
      expect(await set({ origins: [origin] })).toMatchObject({ status: 200 });
    },
  );

  it.each([
    '*',
    'null',
    'https://*.acme.com',
    'https://app.acme.com/',
    'https://app.acme.com:443',
    'https://APP.acme.com',
    'https://bücher.acme.com',
    'https://ada@app.acme.com',
    'http://app.acme.com',
    'http://127.0.0.1.acme.com',
    'file:///etc/passwd',
    'chrome-extension://abcdefgh',
    'app.acme.com',
    ' https://app.acme.com',
    'https://app.acme.com\r\nX-Evil: 1',
  ])('refuses the origin %j, and says so', async (origin) => {
    const { status, body } = await set({ origins: ['https://app.acme.com', origin] });
    expect(status).toBe(400);
    expect(JSON.stringify(body.error?.errors)).toContain('body.origins.1');
  });

  it('has 50 origins at most, and no properties that nobody knows', async () => {
    const origins = Array.from({ length: 51 }, (_, i) => `https://app${i}.acme.com`);
    expect(await set({ origins: origins.slice(1) })).toMatchObject({ status: 200 });
    expect(await set({ origins })).toMatchObject({ status: 400 });
    expect(await set({ brand: { css: 'body{}' } })).toMatchObject({ status: 400 });
  });
});
