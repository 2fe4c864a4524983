import { DEMO_WALLETS, type DemoWallet } from '../../../../data/model/demo-wallets.ts';
import { createButton, createElement } from '../../../shell/elements.ts';
import { askInDialog } from '../../../shell/wallet/wallet-dialog.ts';
import { DEMO_WALLET_NAME } from '../wallet-stores.ts';

const WARNING =
  'This is a demo wallet. Its keys are public, it works only on this portal’s demo ledger, and nothing in it has any value.';

const bdText = (amount: bigint) => amount.toLocaleString('en-GB');

function holdingsText({ stakedBd, heldBd }: DemoWallet): string {
  if (stakedBd > 0n) return `${bdText(stakedBd)} BD staked`;
  return heldBd > 0n ? `${bdText(heldBd)} BD held, none staked` : 'No BD';
}

/** Null if the visitor cancels. */
export function askWhichWallet(): Promise<DemoWallet | null> {
  return askInDialog<DemoWallet>(
    { title: DEMO_WALLET_NAME, badge: 'Demo', lead: WARNING, isEnglish: true },
    (settle) => [
      createElement(
        'ul',
        'options',
        ...DEMO_WALLETS.map((wallet) =>
          createElement(
            'li',
            '',
            createButton(
              'option',
              () => settle(wallet),
              createElement('span', '', wallet.label),
              createElement('small', '', holdingsText(wallet)),
            ),
          ),
        ),
      ),
      createElement(
        'div',
        'actions',
        createButton('button', () => settle(null), 'Cancel'),
      ),
    ],
  );
}

export async function askToSign(title: string, content: string): Promise<boolean> {
  const answer = await askInDialog<true>(
    { title, badge: 'Demo', lead: WARNING, isEnglish: true },
    (settle) => [
      createElement('pre', '', content),
      createElement(
        'div',
        'actions',
        createButton('button gold', () => settle(true), 'Approve'),
        createButton('button', () => settle(null), 'Decline'),
      ),
    ],
  );
  return answer === true;
}
