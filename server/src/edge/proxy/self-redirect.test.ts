import { describe, expect, it } from 'vitest';
import { selfRedirectOf } from './self-redirect.ts';

const ASKED = { method: 'GET', scheme: 'https', authority: 'shop.example.com', path: '/a?b=c' } as const;
const ITSELF = 'https://shop.example.com/a?b=c';

describe('a redirect of an origin', () => {
  it.each([
    ['permanent, to the URL that was asked for', {}, 'endless'],
    ['permanent, with 308', { status: 308 }, 'endless'],
    ['permanent, of HEAD', { method: 'HEAD' }, 'endless'],
    ['permanent, to the same path', { location: '/a?b=c' }, 'endless'],
    ['permanent, to the same host without the scheme', { location: '//shop.example.com/a?b=c' }, 'endless'],
    ['permanent, with the port of the scheme', { location: 'https://shop.example.com:443/a?b=c' }, 'endless'],
    ['permanent, with a fragment, which is not sent', { location: `${ITSELF}#part` }, 'endless'],
    ['permanent, to a name in capitals', { location: 'https://SHOP.example.com/a?b=c' }, 'endless'],
    [
      'permanent, at another port that was asked for',
      { authority: 'shop.example.com:8443', location: 'https://shop.example.com:8443/a?b=c' },
      'endless',
    ],
    ['permanent, to the root', { path: '/', location: 'https://shop.example.com' }, 'endless'],
    [
      'permanent, over http where http was asked for',
      { scheme: 'http', location: 'http://shop.example.com/a?b=c' },
      'endless',
    ],
    ['permanent, which browsers may keep for an hour', { cacheControl: 'public, max-age=3600' }, 'endless'],
    ['permanent, which browsers do not keep', { cacheControl: 'private, no-store' }, 'suspect'],
    ['permanent, which browsers keep for no time', { cacheControl: 'Max-Age=0' }, 'suspect'],
    ['temporary, with 302', { status: 302 }, 'suspect'],
    ['temporary, with 303', { status: 303 }, 'suspect'],
    ['temporary, with 307', { status: 307 }, 'suspect'],
    ['that sets a cookie', { setsCookie: true }, null],
    ['that sets a cookie, temporary', { status: 302, setsCookie: true }, null],
    ['of POST, to the page with GET', { method: 'POST', status: 303 }, null],
    ['of POST, permanent', { method: 'POST' }, null],
    ['to another path', { location: '/a' }, null],
    ['to another query', { location: '/a?b=d' }, null],
    ['that adds an empty query', { path: '/a', location: '/a?' }, null],
    ['that removes an empty query', { path: '/a?', location: '/a' }, null],
    ['that adds a slash', { location: '/a/?b=c' }, null],
    ['to another name', { location: 'https://www.shop.example.com/a?b=c' }, null],
    ['to another port', { location: 'https://shop.example.com:8443/a?b=c' }, null],
    ['from http to https', { scheme: 'http' }, null],
    ['from https to http', { location: 'http://shop.example.com/a?b=c' }, null],
    ['to the usual form of the path that was asked for', { path: '/x/../a?b=c' }, null],
    ['to another encoding of the path', { path: '/%61?b=c' }, null],
    ['with a user', { location: 'https://user@shop.example.com/a?b=c' }, null],
    ['without Location', { location: undefined }, null],
    ['to what is no URL', { location: 'https://[' }, null],
    ['that is not one: 304', { status: 304 }, null],
    ['that is not one: 300', { status: 300 }, null],
    ['that is not one: 201', { status: 201 }, null],
  ] as const)('%s', (_, about, expected) => {
    const redirect = { ...ASKED, status: 301, location: ITSELF, setsCookie: false, cacheControl: undefined, ...about };
    expect(selfRedirectOf(redirect)).toBe(expected);
  });
});
