import { describe, expect, it } from 'vitest';
import type { DomainOutcome } from '../../client/client.ts';
import { pastedNames, resultOf } from './pasted-names.ts';

describe('a pasted list', () => {
  it('has a name in each line, with its number, whatever ends the lines', () => {
    expect(pastedNames('a.example\r\n\r\n  b.example  \n# a note\nc.example # ours\rd.example')).toEqual([
      { line: 1, domain: 'a.example' },
      { line: 3, domain: 'b.example' },
      { line: 5, domain: 'c.example' },
      { line: 6, domain: 'd.example' },
    ]);
  });

  it('may have external ids, as a spreadsheet or CSV has them', () => {
    expect(pastedNames('a.example,customer_7\nb.example\tcustomer 8')).toEqual([
      { line: 1, domain: 'a.example', externalId: 'customer_7' },
      { line: 2, domain: 'b.example', externalId: 'customer 8' },
    ]);
  });

  it('keeps what is no name, so that the API can say what is wrong with it', () => {
    expect(pastedNames('https://a.example/x\nshop example.com').map(({ domain }) => domain)).toEqual([
      'https://a.example/x',
      'shop example.com',
    ]);
  });
});

describe('the result of a name', () => {
  const error = { title: 'T', detail: 'The detail.', status: 400, type: 't' };
  const outcome = (about: object) => resultOf({ domain: 'a.example', ...about } as DomainOutcome);

  it.each([
    ['is added', { domainId: 'dom_1' }, { kind: 'added', domainId: 'dom_1' }],
    ['is there already', { domainId: 'dom_1', error: { ...error, status: 409 } }, { kind: 'there', domainId: 'dom_1' }],
    ['is of another environment', { error: { ...error, status: 409 } }, { kind: 'refused', message: 'The detail.' }],
    ['comes too early', { error: { ...error, status: 429 } }, { kind: 'later' }],
    [
      'is a mistake, with what to do',
      { error: { ...error, errors: [{ location: 'l', message: 'must not be an address.', fix: 'Give a name.' }] } },
      { kind: 'refused', message: 'It must not be an address. Give a name.' },
    ],
    [
      'is a mistake, in fragments of the API',
      { error: { ...error, errors: [{ location: 'l', message: 'must be a name: "x"', fix: 'use "a.example"' }] } },
      { kind: 'refused', message: 'It must be a name: "x". Use "a.example".' },
    ],
  ])('%s', (_, about, result) => {
    expect(outcome(about)).toEqual(result);
  });
});
