// The stock of a small shop: what is on the shelves and what has to be ordered again.

export interface Product {
  id: string;
  name: string;
  stock: number;
  minimum: number;
}

export class Inventory {
  private products = new Map<string, Product>();

  add(product: Product): void {
    this.products.set(product.id, product);
  }

  find(id: string): Product | undefined {
    return this.products.get(id);
  }

  take(id: string, quantity: number): boolean {
    const product = this.find(id);
    if (!product || product.stock < quantity) {
      return false;
    }
    product.stock -= quantity;
    return true;
  }

  missing(): Product[] {
    const result: Product[] = [];
    for (const product of this.products.values()) {
      if (product.stock < product.minimum) {
        result.push(product);
      }
    }
    return result;
  }
}
