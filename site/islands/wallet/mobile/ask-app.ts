import { t } from '../../../../data/model/locale.ts';
import { createButton, createElement } from '../../../shell/elements.ts';
import { askInDialog } from '../../../shell/wallet/wallet-dialog.ts';

/** Asks for the tap that browsers require before they open an app. @returns whether the visitor tapped */
export async function askToOpenApp(): Promise<boolean> {
  const texts = {
    title: t('Open your wallet app'),
    lead: t('The wallet app asks you to approve or decline. Then return to this page.'),
  };
  const answer = await askInDialog<true>(texts, (settle) => [
    createElement(
      'div',
      'actions',
      createButton('button gold', () => settle(true), t('Open Wallet App')),
      createButton('button', () => settle(null), t('Cancel')),
    ),
  ]);
  return answer === true;
}

export function showWaitingForApp() {
  let close = () => {};
  const texts = {
    title: t('Continue in your wallet app'),
    lead: t('Approve or decline the request in your wallet app. Then return to this page.'),
  };
  const cancellation = askInDialog<null>(texts, (settle) => {
    close = () => settle(null);
    return [createElement('div', 'actions', createButton('button', close, t('Cancel')))];
  });
  return { cancelled: cancellation, close };
}
