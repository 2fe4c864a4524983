import { showToast } from '../../shell/toasts/show-toast.ts';
import styles from './copy.module.css';

/** Copies a text for the visitor. `name` says which, to those who do not see it beside the button: `vault address`. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <button type="button" className={styles.copy} onClick={() => void copy(text, name)}>
      Copy<span className="visually-hidden"> {name}</span>
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
      text: `This browser does not let the portal copy. Select the ${name} and copy it yourself.`,
      kind: 'failure',
      seconds: 10,
    });
  }
}
