/**
 * The `source` of the assistant's answers about the submissions of the visitor's wallet. These answers are only shown: they are
 * not logged, stored, sent to a language model or kept on the visitor's device.
 */
export const OWN_RECORDS_SOURCE = 'own:records';
