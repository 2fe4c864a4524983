import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { $addressToName, useOwnName } from '../address-book/own-names.ts';
import { AddressEntry } from '../ui/AddressEntry.tsx';
import { useExplorerLink } from '../ui/LinkedId.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { $wallet } from '../wallet/wallet-stores.ts';
import { usePosition } from './use-position.ts';
import {
  addressOf,
  NO_WALLET,
  type RequestedWallet,
  walletFragment,
  walletOfFragment,
} from './wallet-address.ts';

const $requestedWallet = atom<RequestedWallet>(NO_WALLET);

onMount($requestedWallet, () => {
  if (typeof window === 'undefined') return;
  const read = () => {
    const requestedWallet = walletOfFragment(location.hash);
    // The wallet is undefined if the fragment names a section of the page.
    if (requestedWallet !== undefined) $requestedWallet.set(requestedWallet);
  };
  read();
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  return () => {
    window.removeEventListener('popstate', read);
    window.removeEventListener('hashchange', read);
  };
});

/** Shows the position of a wallet; null shows none. The address is put into the URL's fragment, which the server never sees. */
function showPositionOf(address: string | null): void {
  const url = `${location.pathname}${location.search}${walletFragment(address)}`;
  history.pushState(history.state, '', url);
  $requestedWallet.set(address === null ? NO_WALLET : { text: address, address });
}

const PositionView = lazy(() => import('./PositionView.tsx'));

/** The position of a wallet: one that the visitor enters, or the connected one. */
export default liveIsland(function MyPosition({ explorer: explorerUrl }: { readonly explorer: string }) {
  const requestedWallet = useStore($requestedWallet, { ssr: 'initial' });
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  const lastConnectedAddress = useRef<string | null>(null);
  useEffect(() => {
    // Switching wallets would close a stake or withdrawal in progress, and the page would stop following a signed transaction.
    if (walletAddress === null || document.querySelector('[data-withdrawal], [data-stake]') !== null) return;
    const { text } = $requestedWallet.get();
    // A connected wallet does not replace an address that the visitor has entered.
    const isReplaceable = text === '' || text === lastConnectedAddress.current;
    lastConnectedAddress.current = walletAddress;
    if (isReplaceable && text !== walletAddress) showPositionOf(walletAddress);
  }, [walletAddress]);
  return (
    <>
      <WalletForm requestedWallet={requestedWallet} />
      {requestedWallet.address === null ? null : (
        <LivePosition wallet={requestedWallet.address} explorer={explorerUrl} key={requestedWallet.address} />
      )}
    </>
  );
});

function LivePosition({
  wallet,
  explorer: explorerUrl,
}: {
  readonly wallet: string;
  readonly explorer: string;
}) {
  const reading = usePosition(wallet);
  return (
    <>
      <p className="visually-hidden" role="status">
        {reading.kind === 'known' ? `Showing the position of wallet ${shorten(wallet)}.` : null}
      </p>
      <Suspense fallback={null}>
        <PositionView wallet={wallet} link={useExplorerLink(explorerUrl)} reading={reading} />
      </Suspense>
    </>
  );
}

/** Scrolls to the address book, which takes the focus once it has loaded. */
function NameButton({ wallet }: { readonly wallet: string }) {
  const hasName = useOwnName(wallet) !== null;
  const open = () => {
    $addressToName.set(wallet);
    document.getElementById('address-book')?.scrollIntoView();
  };
  return (
    <button type="button" className="button" onClick={open} data-name-wallet>
      {hasName ? 'Rename' : 'Name This Wallet'}
    </button>
  );
}

function WalletForm({ requestedWallet }: { readonly requestedWallet: RequestedWallet }) {
  const [lastRequestedWallet, setLastRequested] = useState(requestedWallet);
  const [text, setText] = useState(requestedWallet.text);
  const [isInvalid, setInvalid] = useState(false);
  if (lastRequestedWallet !== requestedWallet) {
    // A link or the browser's Back button requested a different wallet.
    setLastRequested(requestedWallet);
    setText(requestedWallet.text);
    setInvalid(requestedWallet.text !== '' && requestedWallet.address === null);
  }
  const submit = () => {
    const address = addressOf(text);
    setInvalid(address === null);
    if (address !== null && address !== requestedWallet.address) showPositionOf(address);
    return address !== null;
  };
  return (
    <AddressEntry
      id="position-wallet"
      hint="A Solana address. Viewing needs no signature, and this page never asks for a seed phrase."
      text={text}
      onText={(value) => {
        setText(value);
        setInvalid(false);
      }}
      isInvalid={isInvalid}
      submitLabel="Show Position"
      onSubmit={submit}
    >
      {requestedWallet.address === null ? null : (
        <>
          <button
            type="button"
            className="button"
            onClick={() => {
              showPositionOf(null);
              document.getElementById('position-wallet')?.focus();
            }}
          >
            Clear
          </button>
          <NameButton wallet={requestedWallet.address} />
        </>
      )}
    </AddressEntry>
  );
}
