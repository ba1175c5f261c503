import { clearLine, cursorTo } from 'node:readline';

/** How far something long is, for people. */
export interface Bar {
  /** `done`: a share of 1. */
  show(doing: string, done: number): void;
  /** Takes the bar away where it can, so that what is written next stands on a line of its own. */
  clear(): void;
}

const WIDTH = 30;
/** Off a terminal a line is written for each step of as many percent. */
const STEP = 10;

/** A bar that is redrawn in place on a terminal; otherwise a line now and then. */
export function createBar(output: NodeJS.WriteStream): Bar {
  let before = '';
  return {
    show(doing, done) {
      const percent = Math.floor(done * 100);
      const text = output.isTTY
        ? `${doing}  ${drawn(done)}  ${percent} %`
        : `${doing}: ${percent - (percent % STEP)} %`;
      if (text === before) return;
      before = text;
      if (!output.isTTY) output.write(`${text}\n`);
      else {
        cursorTo(output, 0);
        output.write(text);
        clearLine(output, 1);
      }
    },
    clear() {
      if (!output.isTTY || before === '') return;
      cursorTo(output, 0);
      clearLine(output, 1);
    },
  };
}

function drawn(done: number): string {
  const full = Math.floor(done * WIDTH);
  return '█'.repeat(full) + '░'.repeat(WIDTH - full);
}
