/** An error with the HTTP status that ORS clients expect. */
export class OrsError extends Error {
  override readonly name = "OrsError";
  readonly statusCode: 400 | 404 | 410 | 429;

  constructor(statusCode: OrsError["statusCode"], message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}
