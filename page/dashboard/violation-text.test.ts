import { expect, it } from 'vitest';
import { violationText } from './violation-text.ts';

it('a mistake names its field, and how to correct it', () => {
  const message = 'must be an origin';
  expect(violationText({ location: 'body.origins.0', message })).toBe('origins.0 must be an origin');
  expect(violationText({ location: 'body.origins.0', message, fix: 'write https://app.example.net' })).toBe(
    'origins.0 must be an origin: write https://app.example.net',
  );
  expect(violationText({ location: 'body', message: 'The body is empty.' })).toBe('The body is empty.');
});
