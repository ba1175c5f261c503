import type { Row } from './figure.ts';

/** A Markdown table, as docs/benchmarks.md shows it. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map(({ figure, measured, baseline, result, goal, met }) => [
    figure,
    measured,
    baseline,
    result,
    goal,
    met === null ? '' : met ? 'yes' : 'no',
  ]);
  const head = ['Figure', 'Nameplate', 'Baseline', 'Result', 'Goal', 'Met'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
