/** A request of ORS that cannot be served, with the status that its clients look for. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly statusCode: 400 | 404 | 410 | 429;

  constructor(statusCode: Refusal["statusCode"], message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}
