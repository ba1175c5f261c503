import { expect, test } from 'vitest';
import { redirectProblem } from './old-redirects.ts';

const destinations = new Map([
  ['www.example.com', 'example.com'],
  ['self.example.com', 'SELF.example.com'],
  ['a.example.com', 'b.example.com'],
  ['b.example.com', 'c.example.com'],
  ['c.example.com', 'a.example.com'],
  ['x.example.com', 'www.example.com'],
  ['y.example.com', 'a.example.com'],
]);

test('a permanent redirect of one hop is taken over', () => {
  expect(redirectProblem('www.example.com', 308, destinations)).toBeNull();
  expect(redirectProblem('www.example.com', 301, destinations)).toBeNull();
});

test('redirects to themselves, in circles, over two hops and of other statuses are refused, each with its reason', () => {
  const problem = (name: string, status: number | null = 308) => redirectProblem(name, status, destinations);
  expect(problem('self.example.com')).toBe('It leads to itself.');
  for (const name of ['a', 'b', 'c'])
    expect(problem(`${name}.example.com`)).toBe('It leads in a circle, back to the name.');
  for (const name of ['x', 'y']) expect(problem(`${name}.example.com`)).toMatch(/^Its destination redirects as well\./);
  expect(problem('www.example.com', 307)).toMatch(/^Its status is 307, and redirects have 301 or 308\./);
  expect(problem('www.example.com', null)).toMatch(/^Its status is not known/);
});
