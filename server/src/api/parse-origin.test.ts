import { describe, expect, it } from 'vitest';
import { parseOrigin } from './parse-origin.ts';

describe('the origin of a deployment', () => {
  it.each([
    ['http://origin.example.com', 'http://origin.example.com'],
    ['https://origin.example.com:8443', 'https://origin.example.com:8443'],
    ['HTTPS://Origin.Example.COM', 'https://origin.example.com'],
    ['https://origin.example.com:443', 'https://origin.example.com'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is taken as %s', (text, origin) => {
    expect(parseOrigin(text)).toEqual({ ok: true, origin });
  });

  it.each([
    ['origin.example.com', ['must be an http or https URL']],
    ['ftp://origin.example.com', ['must be an http or https URL']],
    ['javascript:alert(1)', ['must be an http or https URL']],
    ['http://', ['must be an http or https URL']],
    ['http://user@origin.example.com', ['must not have a user or a password']],
    ['http://:secret@origin.example.com', ['must not have a user or a password']],
    ['http://origin.example.com/', ['must not have a path, nor a slash at its end']],
    ['http://origin.example.com/app', ['must not have a path, nor a slash at its end']],
    ['http://origin.example.com?', ['must not have a query']],
    ['http://origin.example.com#', ['must not have a fragment']],
    [
      'http://u:p@origin.example.com/a?b#c',
      [
        'must not have a user or a password',
        'must not have a path, nor a slash at its end',
        'must not have a query',
        'must not have a fragment',
      ],
    ],
    ['http:origin.example.com', ['must be written as scheme, "://", host and port']],
    ['http:\\\\origin.example.com', ['must be written as scheme, "://", host and port']],
    [' http://origin.example.com', ['must be written as scheme, "://", host and port']],
    ['http://origin.exa\tmple.com', ['must be written as scheme, "://", host and port']],
    ['http://@origin.example.com', ['must be written as scheme, "://", host and port']],
  ])('%j is refused, and everything that is wrong is named', (text, messages) => {
    const parsed = parseOrigin(text);
    expect(parsed).toMatchObject({ ok: false, messages });
  });

  it('that was refused comes with the one to use', () => {
    expect(parseOrigin('http://u:p@origin.example.com:80/a?b#c')).toMatchObject({
      fix: 'use "http://origin.example.com"',
    });
  });
});
