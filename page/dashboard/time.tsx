import { useEffect, useReducer } from 'preact/hooks';
import { VOICE } from '../languages/voice.ts';
import { inLanguage } from './figures.ts';

const UNITS = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const TICK_MS = 30_000;

const relative = inLanguage((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
const absolute = inLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }),
);

/** A relative time, such as `2 hours ago`; its title has the date, the time and the zone. `at`: Unix ms. */
export function Ago({ at }: { at: number }) {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(tick, TICK_MS, 0);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute().format(at)}>
      {inWords(at, Date.now())}
    </time>
  );
}

/** `2 hours ago`, `in 3 days`, `this minute`. */
export function inWords(at: number, now: number): string {
  const distance = at - now;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['minute', 60_000];
  return relative().format(Math.trunc(distance / ms), unit);
}

/** `4 days`, `3 hours`: how long something takes at most. */
export function lasting(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['minute', 60_000];
  return new Intl.NumberFormat(VOICE.attributes.lang, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.ceil(ms / size),
  );
}
