const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

/** A time in the past or the future, in words; the whole of it, with its zone, on hover and for screen readers. Unix ms. */
export function Ago({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute.format(at)}>
      {inWords(at, Date.now())}
    </time>
  );
}

/** `2 hours ago`, `in 3 days`, `this minute`. */
export function inWords(at: number, now: number): string {
  const distance = at - now;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['minute', 60_000];
  return relative.format(Math.trunc(distance / ms), unit);
}
