import { showToast } from './toasts/show-toast.ts';

/** Copies a text, and says so. @param name what is copied: `vault address` */
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
