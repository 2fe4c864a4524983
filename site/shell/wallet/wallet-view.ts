import { t } from '../../../data/model/locale.ts';
import { localizePath } from '../../../data/model/locale-texts.ts';
import type { SignedAs } from '../../islands/wallet/sign-proof.ts';
import { RECOMMENDED_WALLET } from '../../islands/wallet/solana-wallets.ts';
import {
  $session,
  $wallet,
  $walletNotice,
  $walletQuestion,
  DEMO_WALLET_NAME,
  MOBILE_WALLET_NAME,
  type WalletNotice,
  type WalletQuestion,
  type WalletState,
} from '../../islands/wallet/wallet-stores.ts';
import { copyText } from '../copy-text.ts';
import { createButton, createElement, createLink } from '../elements.ts';
import { showToast } from '../toasts/show-toast.ts';
import { unreachableNotice } from '../unreachable-notice.ts';
import { askInDialog } from './wallet-dialog.ts';

interface WalletCommands {
  readonly connect: () => Promise<void>;
  readonly disconnect: () => Promise<void>;
  readonly signOut: () => Promise<void>;
}

const DOWNLOAD_URL = 'https://phantom.app/download';

const shortenAddress = (address: string) => `${address.slice(0, 4)}…${address.slice(-4)}`;

function drawButtons({ walletAddress, walletName, isConnecting }: WalletState): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-wallet]')) {
    button.dataset.wallet ||= button.textContent?.trim() ?? '';
    const isDemo = walletName === DEMO_WALLET_NAME;
    const wallet = walletAddress && shortenAddress(walletAddress);
    const walletLabel = wallet && (isDemo ? t('Demo {wallet}', { wallet }) : wallet);
    button.textContent = walletLabel ?? (isConnecting ? t('Connecting…') : button.dataset.wallet);
    if (walletAddress) {
      button.ariaLabel = t('Wallet {wallet}', { wallet: walletLabel ?? '' });
      button.ariaHasPopup = 'dialog';
    } else {
      button.removeAttribute('aria-label');
      button.removeAttribute('aria-haspopup');
    }
  }
}

function noticeContent(notice: WalletNotice, { connect }: WalletCommands): readonly Node[] {
  switch (notice.kind) {
    case 'no-wallet':
      return [
        createElement(
          'p',
          '',
          t('Please install {wallet} wallet to continue', { wallet: RECOMMENDED_WALLET }),
        ),
        createLink('button', DOWNLOAD_URL, t('Get {wallet}', { wallet: RECOMMENDED_WALLET })),
        createButton('button', () => void connect(), t('Retry')),
      ];
    case 'unreachable':
      return unreachableNotice(() => void connect());
    case 'app-failed':
      return [
        createElement('p', '', t(notice.text)),
        createButton('button', () => void connect(), t('Retry')),
      ];
    case 'opening-app':
      return [
        createElement(
          'p',
          '',
          t('{wallet} opens this page in a new tab. Connect there.', { wallet: notice.name }),
        ),
        createLink('button', notice.href, t('Open {wallet}', { wallet: notice.name })),
      ];
  }
}

const labelOf = (name: string) => (name === MOBILE_WALLET_NAME ? t(name) : name);

async function askWhichWallet({ options, answer }: WalletQuestion): Promise<void> {
  const index = await askInDialog<number>({ title: t('Choose a wallet') }, (settle) => [
    createElement(
      'ul',
      'options',
      ...options.map(({ name, icon }, optionIndex) => {
        const label = createElement(
          'span',
          '',
          icon === undefined ? t('Open in {wallet}', { wallet: name }) : labelOf(name),
        );
        const option = createButton('option', () => settle(optionIndex), label);
        if (icon !== undefined) {
          const picture = createElement('img', '');
          Object.assign(picture, { src: icon, alt: '', width: 32, height: 32 });
          option.prepend(picture);
        }
        return createElement('li', '', option);
      }),
    ),
    createElement(
      'div',
      'actions',
      createButton('button', () => settle(null), t('Cancel')),
    ),
  ]);
  answer(index);
}

async function signOutWithToast({ signOut }: WalletCommands): Promise<void> {
  try {
    await signOut();
    await showToast({ title: t('Signed out'), text: t('The wallet stays connected.'), kind: 'success' });
  } catch {
    await showToast({
      title: t('Not signed out'),
      text: t('The portal could not be reached. Check your connection and try again.'),
      kind: 'failure',
      seconds: 10,
    });
  }
}

/** Shows the name from the visitor's address book once it has been read; hidden if there is none. */
function addressBookNameElement(address: string): HTMLElement {
  const element = createElement('p', '');
  element.dataset.ownName = '';
  element.hidden = true;
  element.translate = false;
  void import('../../islands/address-book/own-names.ts').then(({ readOwnNames }) => {
    const name = readOwnNames().get(address);
    element.textContent = name ?? '';
    element.hidden = name === undefined;
  });
  return element;
}

/** Shows the wallet's primary .sol name once it has been read; hidden if the wallet has none. */
function solNameElement(address: string): HTMLElement {
  const element = createElement('p', '');
  element.dataset.solName = '';
  element.hidden = true;
  element.translate = false;
  element.style.overflowWrap = 'anywhere';
  void import('../../data/wallet-name.ts')
    .then(({ readWalletName }) => readWalletName(address))
    .then((name) => {
      element.textContent = name;
      element.hidden = name === null;
    });
  return element;
}

async function openMenu(commands: WalletCommands): Promise<void> {
  const { walletAddress, walletName } = $wallet.get();
  if (walletAddress === null || walletName === null) return;
  const isDemo = walletName === DEMO_WALLET_NAME;
  const dialogHead = isDemo
    ? { title: walletName, badge: t('Demo'), lead: t('Its keys are public. Nothing in it has any value.') }
    : { title: labelOf(walletName) };
  const choice = await askInDialog<'disconnect' | 'sign-out'>(dialogHead, (settle) => {
    const positionLink = createLink(
      'button',
      localizePath(`/my-position#wallet=${walletAddress}`),
      t('My Position'),
    );
    positionLink.addEventListener('click', () => settle(null));
    const addressBookLink = createLink(
      'button',
      localizePath('/my-position#address-book'),
      t('Address Book'),
    );
    addressBookLink.addEventListener('click', () => settle(null));
    return [
      createElement('p', 'address', createElement('bdi', '', walletAddress)),
      solNameElement(walletAddress),
      addressBookNameElement(walletAddress),
      createElement(
        'div',
        'actions',
        createButton('button', () => void copyText(walletAddress, 'wallet address'), t('Copy address')),
        positionLink,
        addressBookLink,
        ...($session.get() ? [createButton('button', () => settle('sign-out'), t('Sign out'))] : []),
        createButton('button', () => settle('disconnect'), t('Disconnect')),
        createButton('button', () => settle(null), t('Close')),
      ),
    ];
  });
  if (choice === 'disconnect') await commands.disconnect();
  if (choice === 'sign-out') await signOutWithToast(commands);
}

/** Asks how to retry after a wallet did not sign: with a message or with a transaction. Null if the visitor cancels. */
const askHowToSign = () =>
  askInDialog<SignedAs>(
    {
      title: t('The wallet did not sign'),
      lead: t(
        'Nothing was sent. A hardware wallet, such as a Ledger, cannot always sign messages. It can sign a transaction instead, with the message as a memo. The transaction is never sent: it moves no tokens and costs nothing. The device may ask you to allow blind signing.',
      ),
    },
    (settle) => [
      createElement(
        'div',
        'actions',
        createButton('button', () => settle('message'), t('Retry')),
        createButton('button', () => settle('transaction'), t('Sign with a Ledger')),
        createButton('button', () => settle(null), t('Cancel')),
      ),
    ],
  );

interface WalletView {
  readonly openMenu: () => Promise<void>;
  readonly askHowToSign: typeof askHowToSign;
}

let view: WalletView | null = null;

export function startWalletView(commands: WalletCommands): WalletView {
  if (view) return view;
  const noticeElement = createElement('div', 'wallet-notice');
  noticeElement.setAttribute('role', 'alert');
  document.querySelector('.header')?.append(noticeElement);
  $wallet.subscribe(drawButtons);
  $walletNotice.subscribe((notice) => {
    if (!notice) {
      noticeElement.replaceChildren();
      return;
    }
    // The full-screen menu would cover the notice.
    document.querySelector<HTMLDialogElement>('#site-menu[open]')?.close();
    const dismiss = createButton('button', () => $walletNotice.set(null), t('Dismiss'));
    noticeElement.replaceChildren(createElement('div', 'wrap', ...noticeContent(notice, commands), dismiss));
  });
  $walletQuestion.listen((question) => {
    if (question) void askWhichWallet(question);
  });
  view = { openMenu: () => openMenu(commands), askHowToSign };
  return view;
}
