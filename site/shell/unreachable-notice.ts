import { t } from '../../data/model/locale.ts';
import { createButton, createElement } from './elements.ts';

/** The content of the wallet notice that is shown if the portal does not respond. */
export function unreachableNotice(retry: () => void): readonly Node[] {
  return [
    createElement('p', '', t('Could not reach the portal. Check your connection and try again.')),
    createButton('button', retry, t('Retry')),
  ];
}
