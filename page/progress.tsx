import { Icon, type IconName } from './inline.tsx';
import { TEXT } from './text.ts';
import type { StepState, Steps } from './view.ts';

const ICONS: Record<StepState, IconName> = { done: 'check', current: 'dots', problem: 'alert', waiting: 'none' };
const ORDER = ['dns', 'verified', 'certificate', 'live'] as const;

/** The picture of where the domain stands. */
export function Progress({ steps }: { steps: Steps }) {
  return (
    <ol class="steps" aria-label={TEXT.progress}>
      {ORDER.map((step) => (
        <li key={step} class={steps[step]} aria-current={steps[step] === 'current' ? 'step' : undefined}>
          <span class="dot">
            <Icon name={step === 'live' && steps.live === 'done' ? 'lock' : ICONS[steps[step]]} />
          </span>
          <span class="label">{TEXT.step(step)}</span>
          <span class="state">{TEXT.stepState(step, steps[step])}</span>
        </li>
      ))}
    </ol>
  );
}
