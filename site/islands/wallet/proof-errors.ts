/** Why the owner of a wallet could not be proved. */
export type ProofFault =
  | 'not-connected'
  /** The wallet can sign neither a sign-in nor a message. */
  | 'cannot-sign'
  /** Its owner said no, or the wallet failed. */
  | 'not-signed'
  /** Another account signed than the one that is connected. */
  | 'other-account'
  /** The server did not accept what was signed. */
  | 'refused'
  | 'too-many'
  | 'unreachable';

const WORDS: Readonly<Record<ProofFault, string>> = {
  'not-connected': 'No wallet is connected. Connect it and try again.',
  'cannot-sign': 'This wallet cannot sign messages, so it cannot show that it is yours. Use another wallet.',
  'not-signed': 'The wallet did not sign. Nothing was sent. Try again when you are ready.',
  'other-account':
    'Another account signed than the one that is connected. Choose the same one in the wallet and try again.',
  refused: 'The signed message was not accepted: it may have taken too long. Try again.',
  'too-many': 'Too many attempts. Wait a minute and try again.',
  unreachable: 'The portal could not be reached. Check your connection and try again.',
};

/** The owner of a wallet was not proved. The message is for the visitor, and says what to do. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly fault: ProofFault;

  constructor(fault: ProofFault, options?: ErrorOptions) {
    super(WORDS[fault], options);
    this.fault = fault;
  }
}
