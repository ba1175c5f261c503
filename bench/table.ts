import type { Row } from './figure.ts';

/** A Markdown table, as docs/internals/benchmarks.md shows it; with two more columns where another commit was measured. */
export function renderTable(rows: readonly Row[], commit: string | null): string {
  const lines = rows.map(({ figure, measured, baseline, result, goal, met, against }) => [
    figure,
    measured,
    baseline,
    result,
    goal,
    met === null ? '' : met ? 'yes' : 'no',
    ...(commit === null ? [] : [against?.measured ?? '–', against?.ratio ?? '–']),
  ]);
  const head = ['Figure', 'Nameplate', 'Baseline', 'Result', 'Goal', 'Met'];
  if (commit !== null) head.push(commit, `Nameplate / ${commit}`);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
