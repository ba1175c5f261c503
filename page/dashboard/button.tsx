import type { ComponentChildren } from 'preact';

interface ButtonProps {
  kind?: 'main' | 'quiet' | 'danger';
  isSmall?: boolean;
  onClick: (event: MouseEvent) => void;
  children: ComponentChildren;
}

export function Button({ kind = 'quiet', isSmall, onClick, children }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}${isSmall ? ' small' : ''}`} onClick={onClick}>
      {children}
    </button>
  );
}
