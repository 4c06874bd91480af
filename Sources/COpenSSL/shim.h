// OpenSSL's headers, and its macros that Swift cannot import as plain functions. No logic of the project lives here.
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline void shim_ctx_add_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int shim_ctx_set_min_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int shim_ctx_set_max_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void shim_ctx_set_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline void shim_ctx_refuse_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}
static inline void shim_ctx_refuse_tickets(SSL_CTX *context) { SSL_CTX_set_options(context, SSL_OP_NO_TICKET); }
static inline int shim_ctx_add1_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int shim_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void shim_bio_want_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline long shim_bio_memory(BIO *bio, char **start) { return BIO_get_mem_data(bio, start); }
static inline EVP_PKEY *shim_make_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *shim_make_rsa_key(size_t bits) { return EVP_RSA_gen(bits); }
static inline int shim_error_is_received_alert(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) > SSL_AD_REASON_OFFSET;
}
static inline int shim_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int shim_error_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int shim_chain_count(const STACK_OF(X509) *chain) { return chain ? sk_X509_num(chain) : 0; }
static inline X509 *shim_chain_certificate(const STACK_OF(X509) *chain, int index) {
    return sk_X509_value(chain, index);
}
static inline STACK_OF(X509) *shim_chain_new(void) { return sk_X509_new_null(); }
static inline int shim_chain_add1(STACK_OF(X509) *chain, X509 *certificate) {
    return X509_up_ref(certificate) == 1 && sk_X509_push(chain, certificate) > 0;
}
static inline void shim_chain_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }
static inline X509 *shim_chain_shift(STACK_OF(X509) *chain) { return sk_X509_shift(chain); }
static inline int shim_ssl_was_asked_for_certificate(const SSL *ssl) {
    return !SSL_is_server(ssl) && SSL_get0_peer_CA_list(ssl) && sk_X509_NAME_num(SSL_get0_peer_CA_list(ssl)) > 0;
}
