import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type RowPages, rowCount, rowsBetween } from './row-pages.ts';

/** As in styles-domains.css. */
const ROW_REM = 3.75;
/** Rows that are rendered above and below those in view. */
const OVERSCAN = 12;

interface WindowedRowsProps<Row> {
  label: string;
  columns: readonly { key: string; title: ComponentChildren }[];
  pages: RowPages<Row>;
  isBusy: boolean;
  keyOf(row: Row): string;
  /** The cells of a row. */
  cellsOf(row: Row): ComponentChildren;
  onLook(from: number, to: number): void;
}

/** A table with any number of rows of one height, of which those in view are in the document. It scrolls with the page. */
export function WindowedRows<Row>(props: WindowedRowsProps<Row>): VNode {
  const { label, columns, pages, isBusy, keyOf, cellsOf, onLook } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [view, setView] = useState({ from: 0, to: 40 });
  const count = rowCount(pages);

  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      if (body.current === null) return;
      const height = rowHeight();
      const { top } = body.current.getBoundingClientRect();
      const from = Math.max(0, Math.floor(-top / height));
      const to = Math.max(from + 1, Math.ceil((innerHeight - top) / height));
      setView((before) => (before.from === from && before.to === to ? before : { from, to }));
      onLook(from, to);
    };
    const soon = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    addEventListener('scroll', soon, { passive: true });
    addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', soon);
      removeEventListener('resize', soon);
    };
  }, [onLook]);

  const shown = rowsBetween(pages, Math.max(0, view.from - OVERSCAN), Math.min(count, view.to + OVERSCAN));
  return (
    <table
      class={columns.some(({ key }) => key === 'choose') ? 'rows choosing' : 'rows'}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-busy={isBusy}
    >
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ key, title }) => (
            <th key={key} scope="col" class={key}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} style={{ height: `${count * ROW_REM}rem` }}>
        {shown.map(({ row, position }) => (
          <tr
            key={keyOf(row)}
            aria-rowindex={position + 2}
            style={{ transform: `translateY(${position * ROW_REM}rem)` }}
          >
            {cellsOf(row)}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In px: the size of letters is the visitor's. */
function rowHeight(): number {
  return ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}
