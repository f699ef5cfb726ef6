/** The version of this package. A constant, so that bundles need not find package.json; a test keeps the two equal. */
export const version = "0.1.0";
