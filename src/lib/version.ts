/** The version of this package. A constant, so that bundles need not find package.json; a test holds the two together. */
export const version = "0.1.0";
