/** How many cards are issued in all. */
export const CARD_LIMIT = 250;
/** What a top-up costs, in percent of its amount. */
export const TOP_UP_FEE_PERCENT = '4.5';
/** The number of every card of the sandbox: published for tests (https://docs.stripe.com/testing), it pays for nothing. */
export const SANDBOX_CARD_NUMBER = '4242424242424242';
