import { showToast } from './toasts/show-toast.ts';

/** Copies a text and shows a toast. @param name the text's name in the toast: `vault address` */
export async function copyText(text: string, name: string): Promise<void> {
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
