import { describe, expect, it } from 'vitest';
import { ApiError } from './api-client.ts';
import { createImporter, type Place, type ShownOutcome } from './import-rows.ts';

const place = { project: 'shop', app: 'web', environment: 'production' };

/** An importer on an API that attaches what `outcome` does not refuse, and what it was sent. */
function importing(outcome: (name: string) => ShownOutcome['error'] | 'existing' = () => undefined) {
  const sent: { place: Place; names: string[] }[] = [];
  const importer = createImporter(async (to, names) => {
    sent.push({ place: to, names });
    return names.map((domain): ShownOutcome => {
      const error = outcome(domain);
      if (error === 'existing') return { domain, domainId: 'dom_1', error: problem(409, 'It is there.') };
      return error === undefined ? { domain, domainId: 'dom_1' } : { domain, error };
    });
  });
  return { importer, sent };
}
const problem = (status: number, detail: string) => ({ title: 'No', type: 'no', status, detail });
const named = (count: number) => Array.from({ length: count }, (_, i) => `n${i}.example.com`);

describe('an import', () => {
  it('sends names in batches of 100 to each environment, in order', async () => {
    const { importer, sent } = importing();
    const names = named(250);
    for (const [i, domain] of names.entries()) {
      await importer.add({
        line: i + 2,
        domain,
        place: { ...place, environment: i % 5 === 0 ? 'staging' : 'production' },
      });
    }
    expect(await importer.end()).toEqual({ created: 250, existing: 0, refusals: [] });
    const batches = sent.map(({ place: { environment }, names: { length } }) => [environment, length]);
    expect(batches).toEqual([
      ['production', 100],
      ['production', 100],
      ['staging', 50],
    ]);
    expect(sent.flatMap(({ names }) => names).toSorted()).toEqual(names.toSorted());
  });

  it('counts names that their environment has already, and reports those that are refused, by line', async () => {
    const { importer } = importing((name) => {
      if (name.startsWith('n1.')) return 'existing';
      if (name.startsWith('n2.')) return problem(409, 'Another environment has it.');
      const errors = [{ location: 'body', message: 'must not be empty', fix: 'use "x"' }];
      return name.startsWith('n3.') ? { ...problem(400, 'Invalid.'), errors } : undefined;
    });
    importer.refuse({ line: 9, domain: '' }, 'No name.');
    for (const [i, domain] of named(5).entries()) await importer.add({ line: i + 2, domain, place });
    expect(await importer.end()).toEqual({
      created: 2,
      existing: 1,
      refusals: [
        { line: 4, domain: 'n2.example.com', status: 409, reason: 'Another environment has it.' },
        { line: 5, domain: 'n3.example.com', status: 400, reason: 'must not be empty; use "x".' },
        { line: 9, domain: '', status: '', reason: 'No name.' },
      ],
    });
  });

  it('sends a name once, whatever its form, and reports where it was before', async () => {
    const { importer, sent } = importing();
    for (const [i, domain] of ['BÜCHER.example', 'xn--bcher-kva.example', 'not a name', 'not a name'].entries()) {
      await importer.add({ line: i + 2, domain, place });
    }
    const { created, refusals } = await importer.end();
    expect(created).toBe(2);
    expect(refusals.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'The name is in line 2 already.'],
      [5, 'The name is in line 4 already.'],
    ]);
    expect(sent).toHaveLength(1);
  });

  it('sends names beyond the rate limit again, until each has an outcome', async () => {
    let allowed = 3;
    const { importer, sent } = importing(() => {
      allowed -= 1;
      if (allowed >= 0) return undefined;
      if (allowed === -3) allowed = 3;
      return problem(429, 'Too many.');
    });
    for (const [i, domain] of named(5).entries()) await importer.add({ line: i + 2, domain, place });
    expect(await importer.end()).toEqual({ created: 5, existing: 0, refusals: [] });
    expect(sent.map(({ names }) => names.length)).toEqual([5, 2, 1]);
  });

  it('reports the names of an environment that is not there, asks for it once, and goes on with the others', async () => {
    let asked = 0;
    const importer = createImporter(async ({ environment }, names) => {
      if (environment === 'production') return names.map((domain) => ({ domain, domainId: 'dom_1' }));
      asked += 1;
      throw new ApiError(
        { title: 'Not Found', detail: 'There is none.', status: 404, type: 'not-found' },
        'req_1',
        null,
      );
    });
    for (const [i, domain] of named(250).entries()) {
      await importer.add({ line: i + 2, domain, place: { ...place, environment: i < 220 ? 'none' : 'production' } });
    }
    const { created, refusals } = await importer.end();
    expect(created).toBe(30);
    expect(refusals).toHaveLength(220);
    expect(refusals[219]).toEqual({ line: 221, domain: 'n219.example.com', status: 404, reason: 'There is none.' });
    expect(asked).toBe(1);
  });

  it('ends with any other error of the API', async () => {
    const importer = createImporter(() => Promise.reject(new Error('gone')));
    await importer.add({ line: 2, domain: 'a.example', place });
    await expect(importer.end()).rejects.toThrow('gone');
  });
});
