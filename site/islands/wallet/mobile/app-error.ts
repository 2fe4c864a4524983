import { type AppFailure, ProofError } from '../proof-session.ts';

const MESSAGES: Readonly<Record<AppFailure, string>> = {
  'no-app':
    'No wallet app opened. Install one that supports Mobile Wallet Adapter, such as Solflare, or open this page in your wallet’s app.',
  'app-blocked':
    'Your browser does not let this site connect to apps on your phone. Allow it in the browser’s site settings and try again.',
  'app-lost': 'The connection to the wallet app was lost. Nothing was sent. Try again.',
  'app-unauthorized': 'The wallet app no longer shares this account. Connect it again.',
};

/** Thrown if a wallet app on this phone does not sign. In its own module, so that other pages do not load the messages. */
export class AppError extends ProofError {
  constructor(reason: AppFailure, options?: ErrorOptions) {
    super(reason, options);
    this.message = MESSAGES[reason];
  }
}
