import { showToast } from '../../shell/toasts/show-toast.ts';
import styles from './ui.module.css';

interface CopyButtonProps {
  readonly text: string;
  /** What it copies: `vault address`. */
  readonly name: string;
  /** Shows the name on the button. For a button that is not next to its text. */
  readonly isNamed?: boolean;
}

export function CopyButton({ text, name, isNamed = false }: CopyButtonProps) {
  return (
    <button type="button" className={isNamed ? 'button' : styles.copy} onClick={() => void copy(text, name)}>
      {isNamed ? (
        `Copy ${name}`
      ) : (
        <>
          Copy<span className="visually-hidden"> {name}</span>
        </>
      )}
    </button>
  );
}

async function copy(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    await showToast({ title: 'Copied', text: `The ${name} is on your clipboard.`, kind: 'success' });
  } catch {
    await showToast({
      title: 'Not copied',
      text: `Your browser blocked copying. Select the ${name} and copy it manually.`,
      kind: 'failure',
      seconds: 10,
    });
  }
}
