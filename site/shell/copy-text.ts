import { t } from '../../data/model/locale.ts';
import { showToast } from './toasts/show-toast.ts';

/** @param name what the toast calls the text, such as `vault address` */
export async function copyText(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    await showToast({
      title: t('Copied'),
      text: t('The {name} is on your clipboard.', { name: t(name) }),
      kind: 'success',
    });
  } catch {
    await showToast({
      title: t('Not copied'),
      text: t('Your browser blocked copying. Select the {name} and copy it manually.', { name: t(name) }),
      kind: 'failure',
      seconds: 10,
    });
  }
}
